/** What can be done with generations that are selected in their list. */
import type { Download, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { restoresThePage, type Context } from "../context.ts";
import { PHONE, onPhone, openWithoutLoading } from "../user-actions.ts";
import { violationsOf } from "./every-page.ts";

const DOWNLOADED_WITHIN_MS = 20_000;
/** More rows than a window shows. */
const MANY = 25;

export function chosenGenerations(context: Context): void {
  describe("the list of generations", () => {
    restoresThePage(context);

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
        // Two rows, once the layout is that of the phone.
        await expect.poll(async () => (await bar.boundingBox())?.height).toBeLessThanOrEqual(100);
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
