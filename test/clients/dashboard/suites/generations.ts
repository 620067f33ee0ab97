/** The list of generations: what it finds, its gallery, its widths, and where it leads to. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { restoresThePage, type Context } from "../context.ts";
import { DESK, PHONE, onPhone, openWithoutLoading } from "../user-actions.ts";
import { PROMPT } from "./playground.ts";

/** Generous: the test says what is found, not how soon. */
const SEARCHED_WITHIN_MS = 20_000;
/** Of a prompt's first words, in pixels. */
const MIN_TITLE_WIDTH = 140;

export function generations(context: Context): void {
  describe("the list of generations", () => {
    restoresThePage(context);

    it("has videos and images together, and finds them by prompt and by what made them", async () => {
      const { page } = context();
      const rows = page.getByRole("table", { name: "Generations" }).getByRole("link");
      await rows.nth(3).waitFor();
      const images = Array.from({ length: 3 }, () => "A lighthouse");
      expect(await rows.allInnerTexts()).toEqual([...images, PROMPT]);
      const totals = page.getByRole("status", { name: "Totals" });
      await totals.getByText(/^4 generations, \d+ Tokens charged$/).waitFor();
      const search = page.getByRole("searchbox", { name: "Search ids, metadata and prompts" });
      await search.fill("LAKE boat");
      await expect
        .poll(() => rows.allInnerTexts(), { timeout: SEARCHED_WITHIN_MS })
        .toEqual([PROMPT]);
      await page.getByRole("combobox", { name: "Key" }).click();
      await page.getByRole("option", { name: "Live updates" }).click();
      await page.getByText("No matches").waitFor();
      await totals.getByText("0 generations, 0 Tokens charged").waitFor();
      await page
        .getByText("ids, metadata and prompts of all test generations of this account that pass")
        .waitFor();
      expect(new URL(page.url()).search).toMatch(/^\?search=LAKE\+boat&key=key_/);
      await search.fill("");
      await expect
        .poll(() => new URL(page.url()).searchParams.has("search"), { timeout: SEARCHED_WITHIN_MS })
        .toBe(false);
      await page.getByRole("combobox", { name: "Key" }).click();
      await page.getByRole("option", { name: "Playground" }).click();
      await rows.nth(3).waitFor();
      await totals.getByText("4 generations").waitFor();
      const endUser = page.getByRole("searchbox", { name: "End user" });
      await endUser.fill("customer-4711");
      await totals.getByText("0 generations, 0 Tokens charged").waitFor();
      expect(new URL(page.url()).searchParams.get("end_user")).toBe("customer-4711");
      await endUser.fill("");
      await totals.getByText("4 generations").waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV of these generations" }).click();
      const csv = await readFile(await (await download).path(), "utf8");
      expect(csv).toContain(`,${PROMPT},`);
      expect(csv.trim().split("\r\n")).toHaveLength(5);
    });

    it("has its filters behind a button on a phone, and says there when each was made and for how much", async () => {
      const { page } = context();
      await onPhone(page, async () => {
        const status = page.getByRole("combobox", { name: "Status" });
        await expect.poll(() => status.isVisible()).toBe(false);
        const row = page.getByRole("table", { name: "Generations" }).getByRole("row").nth(1);
        await row.getByText(/ · \d+ Tokens · \w+/).waitFor();
        await page.getByRole("button", { name: "Filters" }).click();
        await status.waitFor();
        await page.getByRole("button", { name: "Filters" }).click();
        const mode = page.getByRole("radiogroup", { name: "Mode" });
        expect((await mode.boundingBox())?.height).toBeGreaterThanOrEqual(32);
      });
    });

    it("leaves the prompt enough width in every window, and covers no picture with a badge", async () => {
      const { page } = context();
      const table = page.getByRole("table", { name: "Generations" });
      const row = table.getByRole("row").filter({ hasText: "success" }).first();
      for (const width of [PHONE.width, 768, 1024, DESK.width]) {
        await page.setViewportSize({ width, height: DESK.height });
        // The menu moves aside for a moment.
        await expect
          .poll(async () => (await row.getByRole("link").boundingBox())?.width)
          .toBeGreaterThanOrEqual(MIN_TITLE_WIDTH);
        const badge = await row.getByText("success").filter({ visible: true }).boundingBox();
        const picture = await row.locator("img").first().boundingBox();
        expect(badge?.x).toBeGreaterThan((picture?.x ?? 0) + (picture?.width ?? 0));
        const csv = await page.getByText("CSV", { exact: true }).boundingBox();
        expect(csv?.width).toBeGreaterThan(20);
      }
    });

    it("leads to a failed one with its end user, and from there to the playground with all of its input", async () => {
      const { page } = context();
      const list = new URL(page.url()).pathname;
      await openWithoutLoading(page, `${list}?status=failed`);
      await page.getByRole("table", { name: "Generations" }).getByRole("link").first().click();
      await page.getByRole("definition").filter({ hasText: "customer-7" }).waitFor();
      await page.getByRole("link", { name: "Open in playground" }).click();
      await page.getByText("Simulated outcome: Fail: content rejected.").waitFor();
      // The section is open, so that what makes it fail can be seen.
      const outcome = page.getByRole("combobox", { name: "Simulated outcome" });
      expect(await outcome.inputValue()).toBe("Fail: content rejected");
      expect(await page.getByRole("textbox", { name: "End user" }).inputValue()).toBe("customer-7");
      await openWithoutLoading(page, list);
      await page.getByRole("heading", { name: "Generations", level: 1 }).waitFor();
    });

    it("is also a gallery, which plays what is pointed at, and downloads what is selected", async () => {
      const { page } = context();
      await page.getByRole("radiogroup", { name: "View" }).getByText("Gallery").click();
      await page.getByText("gamma-image-3.0-pro · 2 images").waitFor();
      const tile = page.getByRole("listitem").filter({ hasText: PROMPT });
      await tile.locator("img").hover();
      await tile.getByTestId("preview").waitFor();
      await page.getByRole("checkbox", { name: `Select: ${PROMPT}` }).check();
      await page.getByText("1 selected, 1 file").waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("region", { name: "Selection" }).getByText("Download").click();
      expect((await download).suggestedFilename()).toMatch(/^vgen_\w+\.mp4$/);
      await page.getByRole("button", { name: "Clear", exact: true }).click();
    });

    it("keeps the view, and says of days in the wrong order what is wrong", async () => {
      const { page } = context();
      const path = new URL(page.url()).pathname;
      const view = page.getByRole("radiogroup", { name: "View" });
      await view.getByText("Gallery").click();
      await openWithoutLoading(page, `${path}?from=2024-01-05`);
      await page.reload();
      expect(await view.getByRole("radio", { name: "Gallery" }).isChecked()).toBe(true);
      await view.getByText("Table").click();
      await page.getByLabel("To", { exact: true }).fill("2024-01-04");
      await page.getByText("Choose a first day that is not after the last one.").waitFor();
      await openWithoutLoading(page, path);
    });

    it("shows an image itself where its small picture is missing", async () => {
      const { page } = context();
      const path = new URL(page.url()).pathname;
      await openWithoutLoading(page, `${path}?kind=image&from=2024-01-06`);
      const picture = page.getByRole("table", { name: "Generations" }).locator("img").first();
      const small = (await picture.getAttribute("src")) ?? "";
      await page.route(small, (route) => route.fulfill({ status: 503 }));
      await page.reload();
      const width = "document.querySelector('[aria-label=Generations] img').naturalWidth";
      await picture.waitFor();
      await expect.poll(() => page.evaluate(width)).toBeGreaterThan(0);
      expect(await picture.getAttribute("src")).not.toBe(small);
      await openWithoutLoading(page, path);
    });

    it("shows all again when filters that match nothing are cleared", async () => {
      const { page } = context();
      const list = new URL(page.url()).pathname;
      await openWithoutLoading(page, `${list}?status=canceled&end_user=nobody`);
      await page.getByText("No matches").waitFor();
      const endUser = page.getByRole("searchbox", { name: "End user" });
      await expect.poll(() => endUser.inputValue()).toBe("nobody");
      await page.getByRole("button", { name: "Clear the filters" }).click();
      await page.getByText("4 generations,").waitFor();
      expect([new URL(page.url()).search, await endUser.inputValue()]).toEqual(["", ""]);
    });

    it("is one step above the page of each of its generations", async () => {
      const { page } = context();
      const list = new URL(page.url()).pathname;
      await openWithoutLoading(page, `${list}?kind=video`);
      const row = page.getByRole("table", { name: "Generations" }).getByRole("row").nth(1);
      // Beside the checkbox, nothing opens; anywhere else, the row does.
      await row
        .getByRole("cell")
        .first()
        .click({ position: { x: 2, y: 2 } });
      await row.getByText("success").filter({ visible: true }).click();
      await page.getByRole("heading", { name: "Video", level: 1 }).waitFor();
      const above = page.getByRole("navigation", { name: "Breadcrumb" });
      await above.getByRole("link", { name: "Generations" }).click();
      await page.getByRole("heading", { name: "Generations", level: 1 }).waitFor();
      expect(new URL(page.url()).search).toBe("?kind=video");
    });
  });
}
