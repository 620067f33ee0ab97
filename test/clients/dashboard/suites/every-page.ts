/** Guarantees for every page: no accessibility violation, in light and dark, and no sideways scrolling on a phone. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { accessibilityFaults } from "../../../support/axe.ts";
import type { Context } from "../context.ts";
import { PHONE, goTo, onPhone, openWithoutLoading, waitUntil } from "../user-actions.ts";

const PAGES = [
  ["Overview", "Overview"],
  ["Playground", "Playground"],
  ["Generations", "Generations"],
  ["Usage and billing", "Usage and billing"],
  ["API keys", "API keys"],
  ["Webhooks", "Webhooks"],
  ["Members", "Members"],
  ["Audit log", "Audit log"],
  ["Account", "Account"],
] as const;

export function everyPage(context: Context): void {
  describe("axe", () => {
    it.each(PAGES)("finds no violation on %s", async (link, heading) => {
      const { page } = context();
      await goTo(page, link, heading);
      expect(await violationsOf(page)).toEqual([]);
    });

    it("finds no violation on a generation and on a webhook delivery", async () => {
      const { page } = context();
      await goTo(page, "Generations");
      await page.getByRole("row").getByRole("link").first().click();
      await page.getByRole("heading", { name: "Timeline" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await goTo(page, "Webhooks");
      await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click();
      await page.getByRole("heading", { name: "Attempts" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    });

    it("finds no violation in a dialog, which Escape closes", async () => {
      const { page } = context();
      await goTo(page, "API keys");
      await page.getByRole("button", { name: "Create key" }).press("Enter");
      await page.getByRole("dialog").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });

    it("finds no violation on the pages before sign-in", async () => {
      const { chromium } = context();
      const page = await chromium.newPage();
      await page.goto("/dashboard/sign-in");
      for (const [path, heading] of [
        ["sign-in", "Sign in"],
        ["sign-up", "Create an account"],
        ["forgotten-password", "Set a new password"],
        ["confirm-email", "Confirm your e-mail"],
        ["invitations/unknown", "You are invited"],
      ] as const) {
        await openWithoutLoading(page, `/dashboard/${path}`);
        await page.getByRole("heading", { name: heading }).waitFor();
        expect(await violationsOf(page)).toEqual([]);
      }
      await page.context().close();
    });
  });
}

/** Checks all rules in light, contrast in dark, and that a phone shows the page without sideways scrolling. */
export async function violationsOf(page: Page): Promise<string[]> {
  await waitUntil(page, "document.querySelector('[role=status] .mantine-Loader-root') === null");
  const light = await accessibilityFaults(page);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await accessibilityFaults(page, { runOnly: ["color-contrast"] });
  await page.emulateMedia({ colorScheme: "light" });
  // A chart needs one more frame to fit a resized window.
  await onPhone(page, () =>
    waitUntil(page, `document.documentElement.scrollWidth <= ${PHONE.width}`),
  );
  return [...light, ...dark.map((violation) => `dark: ${violation}`)];
}
