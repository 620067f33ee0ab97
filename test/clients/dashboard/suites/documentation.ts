/** The documentation in the browser; that it asks no other host is checked with the dashboard's pages. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { countShifts, layoutShift } from "../layout-shift.ts";
import { ADA, appears, createKey, PHONE, PICTURE, scopeOf, signIn } from "../user-actions.ts";
import { MAX_LAYOUT_SHIFT, violationsOf } from "./every-page.ts";

const PAGES = [
  ["models", "Models and prices"],
  ["guides/quickstart", "Quickstart"],
  ["guides/webhook-receivers", "Receiving webhooks"],
  ["reference/create-video-generation", "Create a video generation"],
] as const;

/** In pixels; the rest of an operation is folded. */
const MAX_HEIGHT = 6_000;
const MAX_HEADER_HEIGHT = 56;

export function documentation(context: Context): void {
  describe("the documentation", () => {
    let page: Page;

    beforeAll(async () => {
      page = await context().chromium.newPage();
    });
    afterAll(() => page.context().close());

    it.each(PAGES)("shows %s from its contents, without a violation", async (path, title) => {
      await page.goto("/docs/guides/webhooks");
      await page.getByRole("heading", { name: "Verify signatures" }).waitFor();
      const contents = page.getByRole("navigation", { name: "Documentation" });
      await contents.getByRole("link", { name: title, exact: true }).click();
      await page.waitForURL(`**/docs/${path}`);
      await page.getByRole("heading", { name: title, level: 1 }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await page.evaluate("document.body.scrollHeight")).toBeLessThan(MAX_HEIGHT);
    });

    it("moves nothing while it loads on a phone, whose contents are folded", async () => {
      const phone = await context().chromium.newPage({ viewport: PHONE });
      await countShifts(phone);
      for (const path of ["", ...PAGES.map(([name]) => `/${name}`)]) {
        await phone.goto(`/docs${path}`);
        expect(await layoutShift(phone)).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
        expect(await phone.getByRole("searchbox").isVisible()).toBe(true);
        const contents = phone.getByRole("navigation", { name: "Documentation" });
        expect(await contents.getByRole("link", { name: PAGES[0][1] }).isVisible()).toBe(false);
      }
      await phone.context().close();
    });

    it("finds a page by its words, shows samples by language, and remembers the theme", async () => {
      await page.goto("/docs");
      await page.getByRole("searchbox").fill("cancel video");
      await page.getByRole("link", { name: "Videos: Cancel a video generation" }).click();
      await page.getByRole("tab", { name: "Python" }).first().click();
      expect(await page.getByRole("tabpanel").first().innerText()).toContain(
        "import media_generation_client",
      );
      await page.getByRole("button", { name: "Dark" }).click();
      await page.reload();
      await page.getByRole("button", { name: "Light" }).waitFor();
      expect(await page.getByRole("tabpanel").first().innerText()).toContain(
        "import media_generation_client",
      );
    });

    it.each([
      ["pagination", "Guides: Lists and pagination"],
      ["sdk", "Guides: Clients (SDKs) and command line"],
      ["streaming", "Guides: Streaming progress"],
      ["rate limit", "Guides: Rate limits and other limits"],
      ["refund", "Guides: Usage and spending"],
      ["gamma-image", "Models: gamma-image-3.0-pro"],
      ["rotate key", "Guides: Authentication and API keys"],
      ["idempotnecy", "Guides: Idempotency"],
    ])("finds for %s first of all %s", async (words, first) => {
      await page.goto("/docs");
      await page.getByRole("searchbox").fill(words);
      const results = page.getByRole("region", { name: "Search results" });
      await results.getByRole("link").first().waitFor();
      const [title, line] = (await results.getByRole("link").first().innerText()).split("\n");
      expect([title, line]).toEqual([first, expect.stringMatching(/\w/)]);
    });

    it("opens its search by Ctrl-K and leads to the part of a page that has the words", async () => {
      await page.goto("/docs/guides/files");
      await page.getByRole("heading", { level: 1 }).click();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("verify signature");
      const results = page.getByRole("region", { name: "Search results" });
      const link = results.getByRole("link", { name: "Guides: Webhooks" });
      await link.locator("mark").filter({ hasText: "Verify" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await link.click();
      await page.waitForURL("**/docs/guides/webhooks#verify-signatures");
    });

    it("shows in its contents where the reader is, and keeps them where they were", async () => {
      await page.goto("/docs/reference/retrieve-balance");
      const contents = page.getByRole("navigation", { name: "Documentation" });
      const top = () => page.evaluate<number>("document.querySelector('nav').scrollTop");
      const isInView = () =>
        page.evaluate<boolean>(`(() => {
          const nav = document.querySelector("nav");
          const { top, bottom } = nav.querySelector("[aria-current]").getBoundingClientRect();
          const shown = nav.getBoundingClientRect();
          return top >= shown.top && bottom <= Math.min(shown.bottom, innerHeight);
        })()`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await isInView()).toBe(true);
      expect(await page.evaluate("scrollY")).toBe(0);
      const before = await top();
      expect(before).toBeGreaterThan(0);
      await contents.getByRole("link", { name: "Retrieve usage" }).click();
      await page.waitForURL("**/docs/reference/retrieve-usage");
      await page.getByRole("heading", { name: "Retrieve usage", level: 1 }).waitFor();
      expect([await isInView(), await top()]).toEqual([true, before]);
      await page.goto("/docs");
      expect(await isInView()).toBe(true);
    });

    it("copies a sample as it is, in colours on the page, and leads from page to page", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto("/docs/models");
      await page.getByRole("main").getByRole("link", { name: "beta-3.0-video" }).click();
      await page.getByRole("heading", { name: "beta-3.0-video", level: 1 }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("tab", { name: "TypeScript" }).first().click();
      const sample = page.getByRole("tabpanel").first();
      expect(await sample.locator(".hljs-keyword").first().innerText()).toBe("import");
      await sample.getByRole("button", { name: "Copy" }).click();
      await sample.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        await sample.locator("code").innerText(),
      );
      await page.getByRole("link", { name: "Next: gamma-image-3.0-pro" }).click();
      await page.getByRole("link", { name: "Previous: beta-3.0-video" }).waitFor();
    });

    it("leads from a model to the playground, which has chosen it", async () => {
      const { page: signedIn } = context();
      await signedIn.goto("/docs/models/gamma-image-3.0-pro");
      await signedIn.getByRole("link", { name: "Try it in the playground" }).click();
      await signedIn.waitForURL("**/playground");
      const model = signedIn.getByRole("combobox", { name: "Model" });
      await expect.poll(() => model.inputValue()).toContain("gamma-image-3.0-pro");
    });

    it("marks the part of a page that is read, to which its heading is a link", async () => {
      await page.goto("/docs/guides/webhooks");
      const parts = page.getByRole("navigation", { name: "On this page" });
      const marked = parts.locator("[aria-current]");
      for (const name of ["Verify signatures", "Without a library", "Answers and retries"]) {
        await page.getByRole("main").getByRole("link", { name, exact: true }).click();
        await expect.poll(() => marked.allTextContents()).toEqual([name]);
        const { hash } = new URL(page.url());
        expect(hash).toBe(`#${name.toLowerCase().replaceAll(" ", "-")}`);
      }
      await page.goto("/docs/guides/webhooks#when-your-receiver-is-down");
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await expect.poll(() => marked.allTextContents()).toEqual(["When your receiver is down"]);
      expect(await violationsOf(page)).toEqual([]);
    });

    it("leads to pages of the dashboard in the account of the reader, by way of signing in", async () => {
      const { page: signedIn } = context();
      await signedIn.goto("/docs/guides/quickstart");
      await signedIn.getByRole("main").getByRole("link", { name: "Settings, API keys" }).click();
      await appears(signedIn.getByRole("heading", { name: "API keys", level: 1 }));
      expect(scopeOf(signedIn).accountId).toMatch(/^acct_/);
      const signedOut = await context().chromium.newPage();
      await signedOut.goto("/docs/guides/webhooks");
      await signedOut.getByRole("link", { name: "dashboard under Webhooks" }).click();
      await signIn(signedOut, ADA);
      await appears(signedOut.getByRole("heading", { name: "Webhooks", level: 1 }));
      await signedOut.context().close();
    });

    it("offers search and what was meant where there is no page, without a violation", async () => {
      await page.goto("/docs/guides/webhook");
      expect(await violationsOf(page)).toEqual([]);
      const meant = page.getByRole("main").getByRole("link", { name: "Webhooks", exact: true });
      await meant.click();
      await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
    });

    it("leads a phone to a part of a page in full, and shows that a table goes on at its side", async () => {
      const phone = await context().chromium.newPage({ viewport: PHONE });
      await phone.goto("/docs/guides/spending");
      await phone.getByText("On this page").click();
      const parts = phone.getByRole("navigation", { name: "On this page" });
      await parts.getByRole("link", { name: "Refunds" }).click();
      const heading = phone.getByRole("heading", { name: "Refunds" });
      await appears(heading);
      const { x = 0, y = 0, height = 0 } = (await heading.boundingBox()) ?? {};
      const top = `document.elementFromPoint(${x + 10}, ${y + height / 2}).textContent`;
      expect(await phone.evaluate(top)).toBe("Refunds");
      await phone.goto("/docs/models");
      await phone.getByRole("group", { name: "Table" }).waitFor();
      const background = "getComputedStyle(document.querySelector('.scroll'))";
      expect(await phone.evaluate(`${background}.backgroundAttachment`)).toBe(
        "local, local, scroll, scroll, scroll",
      );
      await phone.context().close();
    });

    it("keeps search and contents in one line on a phone, where columns of text and prices fit", async () => {
      const phone = await context().chromium.newPage({ viewport: PHONE });
      const rightOf = async (name: string) => {
        const column = phone.getByRole("columnheader", { name, exact: true }).first();
        await appears(column);
        const { x = 0, width = 0 } = (await column.boundingBox()) ?? {};
        return x + width;
      };
      await phone.goto("/docs/models");
      expect(await rightOf("Price")).toBeLessThan(PHONE.width);
      await phone.goto("/docs/guides/replicate#images");
      expect(await rightOf("Here")).toBeLessThan(PHONE.width);
      const header = phone.getByRole("banner");
      const { y, height = 0 } = (await header.boundingBox()) ?? {};
      expect(y).toBe(0);
      expect(height).toBeLessThan(MAX_HEADER_HEIGHT);
      await header.getByRole("link", { name: "Contents" }).click();
      const contents = phone.getByRole("navigation", { name: "Documentation" });
      await appears(contents.getByRole("link", { name: "Quickstart" }));
      await phone.getByRole("searchbox").fill("webhooks");
      const results = phone.getByRole("region", { name: "Search results" });
      await results.getByRole("link").first().waitFor();
      expect((await results.boundingBox())?.width).toBeGreaterThan(PHONE.width * 0.9);
      expect(await violationsOf(phone)).toEqual([]);
      await phone.context().close();
    });

    it("tries an operation with a key, from the top of its page", async () => {
      await page.goto("/docs/reference/retrieve-balance");
      await page.getByRole("link", { name: "Try it" }).first().click();
      await page.waitForURL("**/retrieve-balance#try");
      await page.getByLabel("API key").fill("mgs_test_unknown");
      await page.getByRole("button", { name: "Send" }).click();
      const answer = page.getByRole("status");
      await answer.getByText("401").waitFor();
      const code = answer.locator("code").first();
      expect(JSON.parse(await code.innerText())).toMatchObject({
        error: { code: "invalid_api_key" },
      });
      await answer.getByRole("link", { name: /errors\/invalid_api_key$/ }).waitFor();
      const headers = answer.getByText(/^request-id: /m);
      expect(await headers.isVisible()).toBe(false);
      await answer.getByText("Headers").click();
      expect(await headers.isVisible()).toBe(true);
      await answer.getByRole("button", { name: "Copy" }).first().waitFor();
    });

    it("leads to a field that is folded", async () => {
      await page.goto("/docs/reference/retrieve-balance#response-200-limits-period");
      const field = page.locator("#response-200-limits-period");
      await field.waitFor();
      expect(await field.innerText()).toContain("period");
    });

    it("tries to send a file that is chosen there, and no address of the example", async () => {
      const key = await createKey(context().page, "Documentation");
      await context().page.getByRole("button", { name: "I have saved it" }).click();
      await page.goto("/docs/reference/create-file");
      await page.getByLabel("API key").fill(key);
      await page.getByLabel("file", { exact: true }).setInputFiles(PICTURE);
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("status").getByText(/^201 /).waitFor();
      await page.goto("/docs/reference/create-video-generation");
      const body = await page.getByLabel("Body").inputValue();
      expect(Object.keys(JSON.parse(body) as object)).toContain("prompt");
      expect(body).not.toContain("https://");
      await page.goto("/docs/reference/create-image-generation");
      await page.getByRole("button", { name: "Send" }).click();
      const picture = page.getByRole("status").getByRole("img");
      await picture.waitFor();
      const width = "document.querySelector('output img').naturalWidth";
      await expect.poll(() => page.evaluate(width)).toBeGreaterThan(0);
      expect(await violationsOf(page)).toEqual([]);
    });

    it("shows the video that is tried, and fills in its id where the last video is meant", async () => {
      await page.goto("/docs/reference/create-video-generation");
      expect(await page.getByLabel("Prefer").inputValue()).toBe("wait=30");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("status").locator("video").waitFor();
      const { id } = JSON.parse(
        await page.getByRole("status").locator("code").first().innerText(),
      ) as { id: string };
      for (const name of ["retrieve", "cancel", "delete"]) {
        await page.goto(`/docs/reference/${name}-video-generation`);
        expect(await page.getByLabel("id", { exact: true }).inputValue()).toBe(id);
      }
      await page.goto("/docs/reference/retrieve-image-generation");
      expect(await page.getByLabel("id", { exact: true }).inputValue()).toMatch(/^igen_/);
      await page.goto("/docs/reference/redeliver-webhook");
      expect(await page.getByLabel("id", { exact: true }).inputValue()).toBe("");
    });
  });
}
