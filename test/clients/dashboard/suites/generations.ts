/** The list of generations: what it finds, its gallery, its widths, and what is selected in it. */
import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright-core";
import { afterEach, describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { DESK, PHONE, onPhone, openWithoutLoading } from "../user-actions.ts";
import { violationsOf } from "./every-page.ts";
import { PROMPT } from "./playground.ts";

/** Generous: the test says what is found, not how soon. */
const SEARCHED_WITHIN_MS = 20_000;
const DOWNLOADED_WITHIN_MS = 20_000;
/** Of a prompt's first words, in pixels. */
const MIN_TITLE_WIDTH = 140;
/** More rows than a window shows. */
const MANY = 25;

export function generations(context: Context): void {
  describe("the list of generations", () => {
    // Also after a test that failed, so that it fails alone.
    afterEach(async () => {
      const { page } = context();
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await page.setViewportSize(DESK);
    });

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
        await row.getByText(/ · \d+ Tokens/).waitFor();
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

    it("deletes what is selected after one question, keeps what is running, and says what failed", async () => {
      const { page } = context();
      await page.getByRole("radiogroup", { name: "View" }).getByText("Table").click();
      await showVideosAsRunning(page);
      const query = "?key=none&from=2024-01-01";
      await openWithoutLoading(page, `${new URL(page.url()).pathname}${query}`);
      const table = page.getByRole("table", { name: "Generations" });
      await table.getByText("processing").filter({ visible: true }).waitFor();
      const paths = () =>
        table
          .getByRole("link")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      const [refused, deleted, ...others] = await paths();
      expect(others).toHaveLength(2);
      const failing = `**/generations/${refused?.split("/").at(-1)}?*`;
      await page.route(failing, (route) =>
        route.fulfill({ status: 409, json: { error: { message: "It cannot be deleted yet." } } }),
      );
      await onPhone(page, async () => {
        await page.getByRole("checkbox", { name: "Select all shown" }).press("Space");
        const bar = page.getByRole("region", { name: "Selection" });
        await bar.getByText("4 selected, 4 files, 1 running").waitFor();
        await page.getByRole("checkbox", { name: "Select: A lighthouse" }).last().press("Space");
        expect(await violationsOf(page)).toEqual([]);
        await bar.getByRole("button", { name: "Delete" }).press("Enter");
        const question = page.getByRole("dialog", { name: "Delete 2 generations?" });
        await question.getByText("1 that is running is kept.").waitFor();
        await question.getByRole("button", { name: "Delete" }).press("Enter");
        await page
          .getByRole("dialog", { name: "1 generation not deleted" })
          .getByText("It cannot be deleted yet.")
          .waitFor();
        await page.keyboard.press("Escape");
      });
      await page
        .getByRole("status", { name: "Confirmation" })
        .getByText("1 generation deleted")
        .waitFor();
      await page.getByText("3 generations,").waitFor();
      expect(await paths()).toEqual([refused, ...others]);
      expect(deleted).toBeDefined();
      expect(new URL(page.url()).search).toBe(query);
      await page.getByRole("button", { name: "Clear", exact: true }).click();
    });

    it("downloads more files than the browser begins at once, and selects a range of them with Shift", async () => {
      const { page } = context();
      const path = new URL(page.url()).pathname;
      await showMany(page);
      await openWithoutLoading(page, `${path}?from=2024-01-04`);
      const boxes = page.getByRole("checkbox", { name: "Select: " });
      await expect.poll(() => boxes.count()).toBe(MANY);
      await boxes.nth(1).click();
      await boxes.last().click({ modifiers: ["Shift"] });
      const bar = page.getByRole("region", { name: "Selection" });
      await bar.getByText(`${MANY - 1} selected, ${MANY - 1} files`).waitFor();
      const names = new Set<string>();
      const count = (download: Download) => names.add(download.suggestedFilename());
      page.on("download", count);
      await bar.getByRole("button", { name: "Download" }).click();
      await bar.getByRole("button", { name: `of ${MANY - 1}` }).waitFor();
      await expect.poll(() => names.size, { timeout: DOWNLOADED_WITHIN_MS }).toBe(MANY - 1);
      page.off("download", count);
      const notice = page.getByText(`${MANY - 1} downloads begun`);
      await notice.waitFor();
      for (const size of [{ width: 1440, height: 900 }, PHONE]) {
        await page.setViewportSize(size);
        const below = async () => (await bar.boundingBox())?.y;
        const { y = 0, height = 0 } = (await notice.boundingBox()) ?? {};
        await expect.poll(below).toBeGreaterThanOrEqual(y + height);
      }
      await bar.getByRole("button", { name: "Clear", exact: true }).click();
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

    it("has what can be done with selected ones in the window at once, and before the rows for the keyboard", async () => {
      const { page } = context();
      const path = new URL(page.url()).pathname;
      await showMany(page);
      const bar = page.getByRole("region", { name: "Selection" });
      for (const view of ["table", "gallery"]) {
        await openWithoutLoading(page, `${path}?view=${view}&from=2024-01-03`);
        const list = page.getByLabel("Generations", { exact: true });
        // The view before has the same boxes until it is gone.
        await page
          .getByRole(view === "table" ? "table" : "list", { name: "Generations" })
          .waitFor();
        const boxes = list.getByRole("checkbox", { name: "Select: " });
        await expect.poll(() => boxes.count()).toBe(MANY);
        for (const size of [{ width: 1440, height: 900 }, PHONE]) {
          await page.setViewportSize(size);
          await page.evaluate("scrollTo(0, 0)");
          await boxes.first().press("Space");
          await bar.getByText("1 selected").waitFor();
          const { y = 0, height = 0 } = (await bar.boundingBox()) ?? {};
          expect(y).toBeGreaterThan(0);
          expect(y + height).toBeLessThanOrEqual(size.height);
          await list.locator("input, a:not([tabindex])").first().focus();
          await page.keyboard.press("Shift+Tab");
          const isInBar = "document.activeElement.closest('[aria-label=Selection]') !== null";
          expect(await page.evaluate(isInBar)).toBe(true);
          await bar.getByRole("button", { name: "Clear", exact: true }).click();
        }
      }
      await page.unrouteAll();
      await openWithoutLoading(page, path);
    });

    it("selects all that match beyond what is shown, says how far it is with them, and can be stopped", async () => {
      const { page } = context();
      const list = new URL(page.url()).pathname;
      await showOneAtATime(page);
      await openWithoutLoading(page, `${list}?from=2024-01-02`);
      const rows = page.getByRole("table", { name: "Generations" }).getByRole("row");
      await expect.poll(() => rows.count()).toBe(1 + 1);
      const bar = page.getByRole("region", { name: "Selection" });
      await page.getByRole("checkbox", { name: "Select all shown" }).press("Space");
      await bar.getByText("1 selected").waitFor();
      await bar.getByRole("button", { name: "Select all 3 that match" }).click();
      await bar.getByText("3 selected").waitFor();
      const answered = Promise.withResolvers<void>();
      await page.route(/\/generations\/\w+\?/, async (route) => {
        await answered.promise;
        await route.fulfill({ status: 409, json: { error: { message: "Not now." } } });
      });
      await bar.getByRole("button", { name: "Delete" }).click();
      const question = page.getByRole("dialog", { name: "Delete 3 generations?" });
      await question.getByRole("button", { name: "Delete" }).click();
      await question.getByText("0 of 3").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await question.getByRole("button", { name: "Stop" }).click();
      answered.resolve();
      const failures = page.getByRole("dialog", { name: "3 generations not deleted" });
      // One reason once, with all that have it.
      await failures.getByText("3 generations", { exact: true }).waitFor();
      expect(await failures.getByText("Not now.").count()).toBe(1);
      expect(await failures.getByRole("listitem").count()).toBe(3);
      await page.keyboard.press("Escape");
      await bar.getByText("3 selected").waitFor();
      // A selection is of its list.
      await page.getByRole("radiogroup", { name: "Kind" }).getByText("Videos").click();
      await bar.getByText("1 selected, 1 file").waitFor();
      await bar.getByRole("button", { name: "Clear", exact: true }).click();
    });

    it("cancels those of the selected ones that are running, and no others", async () => {
      const { page } = context();
      const list = new URL(page.url()).pathname;
      await showVideosAsRunning(page);
      const canceled: string[] = [];
      const refused = { code: "not_cancelable", message: "Poll it for its end." };
      let isRefused = true;
      await page.route(/\/generations\/\w+\/cancel\?/, async (route) => {
        if (isRefused) return route.fulfill({ status: 409, json: { error: refused } });
        canceled.push(new URL(route.request().url()).pathname.split("/").at(-2) ?? "");
        await route.fulfill({ status: 200, json: {} });
      });
      await openWithoutLoading(page, `${list}?from=2024-01-01`);
      const table = page.getByRole("table", { name: "Generations" });
      await table.getByText("processing").filter({ visible: true }).waitFor();
      await page.getByRole("checkbox", { name: "Select all shown" }).press("Space");
      const bar = page.getByRole("region", { name: "Selection" });
      await bar.getByRole("button", { name: "Cancel running" }).click();
      const question = page.getByRole("dialog", { name: "Cancel 1 generation?" });
      await question.getByText("2 that have ended stay as they are.").waitFor();
      await question.getByText("Those that can still be stopped are canceled").waitFor();
      await question.getByRole("button", { name: "Cancel running" }).click();
      await page
        .getByRole("dialog", { name: "1 generation not canceled" })
        .getByText("Being made already, and could not be stopped; goes on to its end.")
        .waitFor();
      await page.keyboard.press("Escape");
      isRefused = false;
      await bar.getByRole("button", { name: "Cancel running" }).click();
      await question.getByRole("button", { name: "Cancel running" }).click();
      await page
        .getByRole("status", { name: "Confirmation" })
        .getByText("1 generation canceled")
        .waitFor();
      expect(canceled).toEqual([expect.stringMatching(/^vgen_/)]);
      await bar.getByText("2 selected").waitFor();
      await bar.getByRole("button", { name: "Clear", exact: true }).click();
    });

    it("shows all again when filters that match nothing are cleared", async () => {
      const { page } = context();
      const list = new URL(page.url()).pathname;
      await openWithoutLoading(page, `${list}?status=canceled&end_user=nobody`);
      await page.getByText("No matches").waitFor();
      const endUser = page.getByRole("searchbox", { name: "End user" });
      await expect.poll(() => endUser.inputValue()).toBe("nobody");
      await page.getByRole("button", { name: "Clear the filters" }).click();
      await page.getByText("3 generations,").waitFor();
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

/** Until routes are removed, the list ends after its first generation, and the next page goes on after that. */
async function showOneAtATime(page: Page): Promise<void> {
  await page.route(/\/generations\?(?!.*limit=100)/, async (route) => {
    const response = await route.fetch();
    const { data, ...others } = (await response.json()) as { data: { id: string }[] };
    const [first] = data;
    const json = first ? { ...others, data: [first], has_more: true, next_after: first.id } : null;
    await route.fulfill(json ? { response, json } : { response });
  });
}

/** Until routes are removed, lists have many generations, all as their first. */
async function showMany(page: Page): Promise<void> {
  await page.route(/\/generations\?/, async (route) => {
    const response = await route.fetch();
    const { data, ...others } = (await response.json()) as {
      data: { id: string; status: string }[];
    };
    // The oldest stays the same while others end.
    const one = data.findLast(({ status }) => status === "success");
    const many = Array.from({ length: MANY }, (_, index) => {
      return { ...one, id: `${one?.id.slice(0, -2)}${index + 10}` };
    });
    await route.fulfill({ response, json: { ...others, data: many } });
  });
}

/** Until routes are removed, lists say of videos that they run. */
async function showVideosAsRunning(page: Page): Promise<void> {
  await page.route(/\/generations\?/, async (route) => {
    const response = await route.fetch();
    const { data, ...others } = (await response.json()) as {
      data: { object: string; status: string }[];
    };
    const shown = data.map((one) =>
      one.object === "video.generation" ? { ...one, status: "processing" } : one,
    );
    await route.fulfill({ response, json: { ...others, data: shown } });
  });
}
