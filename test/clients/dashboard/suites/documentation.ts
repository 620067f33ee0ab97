/** The documentation in the browser: its pages on a desk and a phone, its search, and its links to the dashboard. */
import { shared } from "../context.ts";
import { PHONE, appears, openWithoutLoading } from "../user-actions.ts";
import { violationsOf } from "../violations.ts";

const PAGES = ["/models", "/reference/create-video-generation", "/guides/fal"] as const;

describe("the documentation", () => {
  it("folds its contents on a phone, has no violation, and fits into a narrow one", async () => {
    const { visitor: page } = shared;
    for (const path of PAGES) {
      await page.setViewportSize(PHONE);
      await page.goto(`/docs${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      const contents = page.getByRole("navigation", { name: "Documentation" });
      expect(await contents.getByRole("link", { name: "Quickstart" }).isVisible()).toBe(false);
      expect(await violationsOf(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 320, height: 800 });
    await page.goto("/docs/reference/list-webhook-deliveries");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  });

  it("leads by its search to the part of a page that has the words, and copies a sample in the language that is remembered", async () => {
    const { visitor: page } = shared;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Python" }).first().click();
    await page.keyboard.press("Control+k");
    // At once: what is found for the first letters leads elsewhere.
    await page.keyboard.insertText("idempotency");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/guides/idempotency*");
    await page.keyboard.press("Control+k");
    await page.keyboard.insertText("verify signature");
    const results = page.getByRole("region", { name: "Search results" });
    await results.getByRole("link", { name: "Webhooks: Verify signatures" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/guides/webhooks#verify-signatures");
    await page.keyboard.press("Control+k");
    await page.keyboard.insertText("xyzzyplugh");
    await results.getByRole("link", { name: "Migrate from OpenAI" }).waitFor();
    const search = page.getByRole("searchbox");
    await page.goto("/docs/guides/replicate#%63omparison");
    expect(await search.inputValue()).toBe("");
    await page.goto("/docs/errors#no%2Dsuch%");
    expect(await search.inputValue()).toBe("no such%");
    await page.goto("/docs/reference/create-video-generation");
    const sample = page.locator("[data-sample]:not([hidden])").first();
    expect(await sample.innerText()).toContain("media_generation_client");
    await sample.getByRole("button", { name: "Copy" }).click();
    await sample.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      await sample.locator("code").innerText(),
    );
  });

  it("leads to pages of the dashboard in the account of the reader", async () => {
    const own = shared.page;
    await own.goto("/docs/models");
    await own.locator('a[href="/dashboard?model=gamma-image-3.0-pro"]').click();
    const model = own.getByRole("combobox", { name: "Model" });
    await expect.poll(() => model.inputValue()).toContain("gamma-image-3.0-pro");
    await openWithoutLoading(own, "/dashboard/go/settings/webhooks");
    await appears(own.getByRole("heading", { name: "Webhooks", level: 1 }));
  });
});
