/** Usage and billing for a finance reader: a row for each generation, its entries, usage by key, and the CSV file. */
import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { appears, goTo, onPhone, openInMode, scopeOf } from "../user-actions.ts";
import { PROMPT } from "./playground.ts";

/** The texts in the table of transactions that end with an ellipsis. */
const CUT_OFF = `[...document.querySelectorAll("[aria-label=Transactions] *")]
  .filter((part) => getComputedStyle(part).textOverflow === "ellipsis" && part.scrollWidth > part.clientWidth)
  .map((part) => part.textContent)`;

export function billing(context: Context): void {
  describe("usage and billing", () => {
    it("shows what each generation and each key cost, also as a file", async () => {
      const { page } = context();
      await goTo(page, "Usage and billing");
      const charges = page.getByRole("table", { name: "Charged generations" });
      const row = charges.getByRole("row").filter({ hasText: PROMPT });
      await appears(row);
      expect(await row.innerText()).toMatch(/alpha-2\.0\s+Playground\s+420\s/);

      await row.getByRole("button", { name: `Show entries of ${PROMPT}` }).click();
      const entries = page.getByRole("table", { name: /^Entries of vgen_/ });
      await appears(entries);
      await expect.poll(() => entries.getByRole("row").count()).toBe(1 + 2);
      expect(await entries.innerText()).toMatch(/charged[^]*reserved/);

      await page.getByRole("radiogroup", { name: "Group by" }).getByText("API key").click();
      const keys = page.getByRole("table", { name: "Usage by api key" });
      const numbers = async () => {
        const used = await keys.getByRole("row").allInnerTexts();
        return used.map((text) => text.split(/\s*\t\s*/));
      };
      await expect
        .poll(async () => (await numbers()).map(([name]) => name))
        .toEqual(["API key", "Playground", "Live updates", "Total"]);
      const [, ofPlayground] = await numbers();
      const listed = await charges.getByRole("row").filter({ hasText: "Playground" }).count();
      expect(ofPlayground?.[1]).toBe(String(listed));

      const downloaded = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV of charges" }).click();
      const file = await downloaded;
      expect(file.suggestedFilename()).toMatch(/^charges-test-\d{4}-\d{2}\.csv$/);
      const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
      expect(lines[0]).toMatch(
        /^charged_at,generation_id,kind,model,prompt,key_id,key_name,end_user,tokens/,
      );
      expect(lines.filter((line) => line.includes(`,alpha-2.0,${PROMPT},,,,420,`))).toHaveLength(1);
    });

    it("keeps the numbers of a deleted generation, which has only its id, within a phone's window", async () => {
      const { page } = context();
      const table = page.getByRole("table", { name: "Charged generations" });
      const deleted = table.getByRole("button", { name: /^Show entries of [vi]gen_/ }).first();
      await onPhone(page, async () => {
        await deleted.waitFor();
        const edgeOf = async (part: Locator) => {
          const { x, width } = (await part.boundingBox()) ?? { x: Number.NaN, width: Number.NaN };
          return x + width;
        };
        const card = page.getByRole("region", { name: "Charged generations" });
        // The table fits the window once that has been drawn.
        const beyond = async () => (await edgeOf(deleted)) - (await edgeOf(card));
        await expect.poll(beyond).toBeLessThan(0);
        // What is wider all the same can be scrolled to.
        const element = "document.querySelector('[aria-labelledby=charges]')";
        expect(await page.evaluate(`getComputedStyle(${element}).overflowX`)).toBe("auto");
      });
    });

    it("says in test mode too that limits are of live mode", async () => {
      const { page } = context();
      await page.getByRole("tab", { name: "Limits and alerts" }).click();
      await page.getByRole("heading", { name: "Limits and alerts of live mode" }).waitFor();
      expect(scopeOf(page).mode).toBe("test");
    });

    it("is preceded by first steps in a mode without generations, where the key that there is counts as done", async () => {
      const { page } = context();
      await openInMode(page, "live", "overview");
      const steps = page.getByRole("region", { name: "First steps" });
      await steps.getByText("Done: there is an API key of live mode.").waitFor();
      expect(await steps.getByRole("link", { name: "Create an API key" }).count()).toBe(0);
      await openInMode(page, "test", "billing");
      await page.getByRole("tab", { name: "Transactions" }).waitFor();
    });

    it("has what was charged and the balances of a month in money too, where Tokens have a price", async () => {
      const { page } = context();
      const { accountId } = scopeOf(page);
      const charge = {
        generation_id: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
        kind: "video",
        model: "alpha-2.0",
        prompt: "",
        tokens: 420,
        charged_at: "2026-11-17T12:00:00Z",
        created_at: "2026-11-17T12:00:00Z",
      };
      const charges = "**/charges?mode=live*";
      await page.route(charges, (route) =>
        route.fulfill({ json: { object: "list", data: [charge], has_more: false } }),
      );
      // Loads the page: the one before has read these charges already.
      await page.goto(`/dashboard/${accountId}/live/billing`);
      const charged = page.getByRole("table", { name: "Charged generations" });
      await appears(charged);
      await expect.poll(() => charged.innerText()).toContain("about 4.20 USD");
      await page.unroute(charges);
      await page.getByRole("tab", { name: "Transactions" }).click();
      const totals = page.getByRole("table", { name: "Totals of the month" });
      await totals.getByRole("row", { name: /^Opening balance 0\s+about 0.00 USD/ }).waitFor();
      await openInMode(page, "test", "billing");
    });

    it("takes back that limits were saved once they are changed, and shows their use and their money", async () => {
      const { page } = context();
      await goTo(page, "Usage and billing");
      await page.getByRole("tab", { name: "Limits and alerts" }).click();
      const day = page.getByLabel("Tokens a day");
      const save = page.getByRole("button", { name: "Save limits" });
      await page.getByLabel("Tokens a month").fill("500");
      await day.fill("600");
      await page.getByText("only the month's applies").waitFor();
      await day.fill("400");
      await save.click();
      await page.getByText("Saved", { exact: true }).waitFor();
      expect(await page.getByText("only the month's applies").count()).toBe(0);
      await page.getByText(/^0 of 400 used \(about 4.00 USD\); starts anew/).waitFor();
      const bar = page.getByRole("progressbar", { name: "Used of the day's limit" });
      expect(await bar.getAttribute("aria-valuenow")).toBe("0");
      await day.fill("0");
      await save.click();
      await page.getByText("Enter 1 or more.").waitFor();
      expect(await page.getByText("Saved", { exact: true }).count()).toBe(0);
    });

    it("says of a limit that is used up until when requests are refused, also on the overview, and warns before", async () => {
      const { page } = context();
      const { accountId } = scopeOf(page);
      const limits = "**/dashboard/api/accounts/*/limits";
      const limit = { scope: "account", resets_at: "2999-11-18T00:00:00.000Z" };
      await page.route(limits, async (route) => {
        const response = await route.fetch();
        const shown = [
          { ...limit, period: "day", tokens: 400, used: 400 },
          { ...limit, period: "month", tokens: 5_000, used: 4_000 },
        ];
        const json = { ...((await response.json()) as object), limits: shown };
        await route.fulfill({ response, json });
      });
      await page.goto(`/dashboard/${accountId}/live/overview`);
      const notice = page.getByText("The limit of 400 Tokens a day is used up");
      await notice.getByText(/requests are refused until Nov 18, 2999/).waitFor();
      await notice.getByRole("link", { name: "Limits and alerts" }).click();
      await page.getByText(/^400 of 400 used \(.+\); requests are refused until Nov 18/).waitFor();
      await page.getByText(/^4,000 of 5,000 used \(.+\); starts anew/).waitFor();
      const colorOf = (period: string) => {
        const bar = page.getByRole("progressbar", { name: `Used of the ${period}'s limit` });
        return bar.evaluate((element) => element.getAttribute("style"));
      };
      expect(await colorOf("day")).toContain("red");
      expect(await colorOf("month")).toContain("amber");
      const warning = page.getByText("As much is used already");
      await page.getByLabel("Tokens a month").fill("4001");
      expect(await warning.count()).toBe(0);
      await page.getByLabel("Tokens a month").fill("4000");
      await warning.waitFor();
      await page.unroute(limits);
      await openInMode(page, "test", "billing");
    });

    it("shows as many transactions as it counts, and the same ones where one type is chosen", async () => {
      const { page } = context();
      await goTo(page, "Overview");
      await goTo(page, "Usage and billing");
      await page.getByRole("tab", { name: "Transactions" }).click();
      await page.waitForURL("**/billing?tab=transactions");
      const transactions = page.getByRole("region", { name: "Transactions" });
      const totals = transactions.getByRole("status", { name: "Totals" });
      const rows = async () => {
        const table = transactions.getByRole("table", { name: "Transactions" });
        const texts = await table.locator("tbody").getByRole("row").allInnerTexts();
        // Without the time, which passes.
        return texts.map((text) => text.split(/\s*\t\s*/).slice(0, 4));
      };
      const counted = async () => `${(await rows()).length} transactions`;
      await appears(transactions.getByRole("row").nth(3));
      await expect.poll(() => totals.innerText()).toBe(await counted());
      const all = await rows();
      expect(
        all.filter(([type, , change]) => type === "reserved" && change === "−420"),
      ).not.toEqual([]);
      await transactions.getByRole("combobox", { name: "Type" }).click();
      await page.getByRole("option", { name: "charged" }).click();
      const charged = all.filter(([type]) => type === "charged");
      expect(charged.map(([, , change]) => change)).toContain("0\n\n420 were reserved");
      // Without the rows of what was reserved, the list does not say how much that was.
      const asReserved = (cells: string[]) =>
        cells.map((cell) => cell.replace(/[\d,]+ were reserved/, "as reserved"));
      await expect.poll(rows).toEqual(charged.map(asReserved));
      await expect.poll(() => totals.innerText()).toBe(await counted());
      await onPhone(page, async () => {
        const first = transactions.locator("tbody").getByRole("row").first();
        await first.getByRole("link", { name: /^[vi]gen_/ }).waitFor();
        await first.getByText(/^[\d,]+ left$/).waitFor();
        await first.locator("time").filter({ visible: true }).waitFor();
        expect(await page.evaluate(CUT_OFF)).toEqual([]);
      });
    });

    it("shows what was charged by end user, in days that the URL keeps", async () => {
      const { page } = context();
      await goTo(page, "Overview");
      await goTo(page, "Usage and billing");
      await page.getByRole("radiogroup", { name: "Group by" }).getByText("End user").click();
      const table = page.getByRole("table", { name: "Usage by end user" });
      await table.getByText("No end user").waitFor();
      await page.getByRole("radiogroup", { name: "Group by" }).getByText("API key").click();
      const byKey = page.getByRole("table", { name: "Usage by api key" });
      await byKey.getByRole("link", { name: "Playground" }).waitFor();
      const sums = await byKey.getByRole("row").allInnerTexts();
      const [total, ...groups] = sums
        .slice(1)
        .toReversed()
        .map((text) => text.split(/\s*\t\s*/));
      for (const column of [1, 2]) {
        const sum = groups.reduce((all, cells) => all + numberIn(cells[column]), 0);
        expect(["Total", numberIn(total?.[column])]).toEqual([total?.[0], sum]);
      }
      const today = new Date().toISOString().slice(0, 10);
      expect(await page.getByLabel("From", { exact: true }).inputValue()).toBe(
        `${today.slice(0, 7)}-01`,
      );
      expect(await page.getByLabel("To", { exact: true }).inputValue()).toBe(today);
      await page.getByLabel("To", { exact: true }).fill("2024-01-31");
      await page.getByText("Nothing was charged in these days").waitFor();
      expect(new URL(page.url()).search).toBe("?by=key&to=2024-01-31");
      const file = page.getByRole("link", { name: "CSV of usage" });
      expect(await file.getAttribute("href")).toMatch(
        /\/usage\/groups\.csv\?mode=test&group_by=key&to=2024-01-31$/,
      );
    });
  });
}

const numberIn = (text = "") => Number(text.replace(",", ""));
