/** What holds for every page: no fault that axe finds, in light and dark, and no sideways scrolling on a phone. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { goTo, until } from "../person.ts";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

const PAGES = [
  ["Overview", "Overview"],
  ["Playground", "Playground"],
  ["Generations", "Generations"],
  ["Usage and billing", "Usage and billing"],
  ["API keys", "API keys"],
  ["Webhooks", "Webhooks"],
  ["Members", "Members"],
  ["Account", "Account"],
] as const;

export function everyPage(context: Context): void {
  describe("accessibility", () => {
    it.each(PAGES)("finds no fault with %s", async (link, heading) => {
      const { page } = context();
      await goTo(page, link, heading);
      expect(await faultsOf(page)).toEqual([]);
    });

    it("finds no fault with a generation and with a webhook delivery", async () => {
      const { page } = context();
      await goTo(page, "Generations");
      await page.getByRole("row").getByRole("link").first().click();
      await page.getByRole("heading", { name: "Timeline" }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await goTo(page, "Webhooks");
      await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click();
      await page.getByRole("heading", { name: "Attempts" }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
    });

    it("finds no fault with a dialog, which can be left by the keyboard", async () => {
      const { page } = context();
      await goTo(page, "API keys");
      await page.getByRole("button", { name: "Create key" }).press("Enter");
      await page.getByRole("dialog").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });

    it("finds no fault with what a stranger sees", async () => {
      const { chromium } = context();
      const page = await chromium.newPage();
      for (const [path, heading] of [
        ["sign-in", "Sign in"],
        ["sign-up", "Make an account"],
        ["invitations/unknown", "You are invited"],
      ] as const) {
        await page.goto(`/dashboard/${path}`);
        await page.getByRole("heading", { name: heading }).waitFor();
        expect(await faultsOf(page)).toEqual([]);
      }
      await page.context().close();
    });
  });
}

/** All rules in light, the colours again in dark, and whether a phone shows it without scrolling sideways. */
async function faultsOf(page: Page): Promise<string[]> {
  await until(page, "document.querySelector('[role=status] .mantine-Loader-root') === null");
  const light = await findings(new AxeBuilder({ page }));
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await findings(new AxeBuilder({ page }).withRules(["color-contrast"]));
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(PHONE);
  try {
    // A chart takes one more frame to fit a window that has changed.
    await until(page, `document.documentElement.scrollWidth <= ${PHONE.width}`);
  } finally {
    await page.setViewportSize(DESK);
  }
  return [...light, ...dark.map((fault) => `dark: ${fault}`)];
}

async function findings(axe: AxeBuilder): Promise<string[]> {
  // One page without frames: no second page is needed to put the findings together.
  const { violations } = await axe.setLegacyMode(true).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.join(" ")}: ${any[0]?.message ?? ""}`),
  );
}
