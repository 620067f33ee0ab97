/** Usage and billing for a finance reader: a row for each generation, its entries, usage by key, and the CSV file. */
import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { appears, goTo, onPhone, openWithoutLoading, scopeOf } from "../user-actions.ts";
import { PROMPT } from "./playground.ts";

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
        .toEqual(["API key", "Playground", "Live updates"]);
      const [, ofPlayground] = await numbers();
      const listed = await charges.getByRole("row").filter({ hasText: "Playground" }).count();
      expect(ofPlayground?.[1]).toBe(String(listed));

      const downloaded = page.waitForEvent("download");
      await page.getByRole("link", { name: "CSV of charges" }).click();
      const file = await downloaded;
      expect(file.suggestedFilename()).toMatch(/^charges-test-\d{4}-\d{2}\.csv$/);
      const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
      expect(lines[0]).toMatch(
        /^charged_at,generation_id,kind,model,prompt,key_id,key_name,tokens/,
      );
      expect(lines.filter((line) => line.includes(`,alpha-2.0,${PROMPT},,,420,`))).toHaveLength(1);
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
        expect(await edgeOf(deleted)).toBeLessThan(await edgeOf(card));
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
      const { accountId } = scopeOf(page);
      await openWithoutLoading(page, `/dashboard/${accountId}/live/overview`);
      const steps = page.getByRole("region", { name: "First steps" });
      await steps.getByText("Done: there is an API key of live mode.").waitFor();
      expect(await steps.getByRole("link", { name: "Create an API key" }).count()).toBe(0);
      await openWithoutLoading(page, `/dashboard/${accountId}/test/billing`);
      await page.getByRole("tab", { name: "Transactions" }).waitFor();
    });

    it("says how many transactions are of the chosen type", async () => {
      const { page } = context();
      await goTo(page, "Usage and billing");
      await page.getByRole("tab", { name: "Transactions" }).click();
      await page.waitForURL("**/billing?tab=transactions");
      const transactions = page.getByRole("region", { name: "Transactions" });
      const totals = transactions.getByRole("status", { name: "Totals" });
      await expect.poll(() => totals.innerText()).toMatch(/^\d+ transactions$/);
      await transactions.getByRole("combobox", { name: "Type" }).click();
      await page.getByRole("option", { name: "added" }).click();
      await expect.poll(() => totals.innerText()).toBe("1 transaction");
    });

    it("shows a generation that was charged what it reserved as one transaction, in plain words", async () => {
      const { page } = context();
      await goTo(page, "Overview");
      await goTo(page, "Usage and billing");
      await page.getByRole("tab", { name: "Transactions" }).click();
      const table = page.getByRole("table", { name: "Transactions" });
      await table.getByRole("row").nth(3).waitFor();
      const rows = await table.getByRole("row").allInnerTexts();
      expect(rows.filter((row) => /capture|recharge|as reserved/.test(row))).toEqual([]);
      expect(rows.filter((row) => /^charged\s+vgen_\w+\s+−420\s/.test(row))).toHaveLength(1);
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
      await page.getByLabel("To", { exact: true }).fill("2024-01-31");
      await page.getByText("Nothing was charged in these days").waitFor();
      expect(new URL(page.url()).search).toBe("?by=key&to=2024-01-31");
    });
  });
}
