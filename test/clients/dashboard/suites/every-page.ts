/** Guarantees for every page: nothing moves while it loads, no accessibility violation, no sideways scrolling on a phone. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityFaults } from "../../../support/axe.ts";
import type { Context } from "../context.ts";
import { countShifts, layoutShift } from "../layout-shift.ts";
import {
  PHONE,
  appears,
  goTo,
  onPhone,
  openWithoutLoading,
  scopeOf,
  waitUntil,
} from "../user-actions.ts";
import { loadedFiles } from "../page-size.ts";
import { sampleUsage } from "../sample-usage.ts";

const PAGES = [
  // It belongs to no account.
  ["../../profile", "Your profile"],
  ["overview", "Overview"],
  ["playground", "Playground"],
  ["generations", "Generations"],
  ["requests", "Requests"],
  ["billing", "Usage and billing"],
  ["settings/keys", "API keys"],
  ["settings/webhooks", "Webhooks"],
  ["settings/members", "Members"],
  ["settings/audit-log", "Audit log"],
  ["settings/account", "Account"],
] as const;

const ENTRY_PAGES = [
  ["sign-up", "Create an account"],
  ["forgotten-password", "Set a new password"],
  ["confirm-email", "Confirm your e-mail"],
  ["invitations#token=unknown", "Invitation"],
] as const;

const MAX_BYTES = 250_000;
/** The document, what pages share and the page itself. */
const MAX_FILES = 8;
/** The sum of all shifts since the page was opened; "good" is 0.1 at most. */
export const MAX_LAYOUT_SHIFT = 0.02;

/** Keeps the widths of the chart as it is when it is added to the document. */
const OBSERVE_CHART = `
  new MutationObserver((_, observer) => {
    const line = document.querySelector("svg[role=img] line");
    if (!line) return;
    observer.disconnect();
    const available = line.closest("div").clientWidth;
    globalThis.firstChart = { drawn: Number(line.getAttribute("x2")), available };
  }).observe(document, { childList: true, subtree: true });`;

export function everyPage(context: Context): void {
  describe("every page of an account", () => {
    let page: Page;
    let home: string;

    beforeAll(async () => {
      const { chromium, page: signedIn } = context();
      const { accountId, mode } = scopeOf(signedIn);
      home = `/dashboard/${accountId}/${mode}`;
      page = await chromium.newPage();
      await page.context().addCookies(await signedIn.context().cookies());
      await countShifts(page);
      await page.addInitScript(OBSERVE_CHART);
    });
    afterAll(() => page.context().close());

    it("loads at most 250 kB, gzipped, in few files as the first one, the page's together with the session", async () => {
      const session = "**/dashboard/api/session";
      const answer = Promise.withResolvers<void>();
      await page.route(session, async (route) => {
        await answer.promise;
        await route.continue();
      });
      const code = page.waitForRequest("**/assets/overview-*.js");
      const { bytes, count } = await loadedFiles(page, async () => {
        await page.goto(`${home}/overview`);
        await code;
        answer.resolve();
        await appears(page.getByRole("heading", { name: "Overview" }));
      });
      await page.unroute(session);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
      expect(count).toBeLessThanOrEqual(MAX_FILES);
    });

    it("draws its chart as wide as its card before it is painted first", async () => {
      await waitUntil(page, "globalThis.firstChart !== undefined");
      const { drawn, available } = await page.evaluate<Record<string, number>>("firstChart");
      expect(available).toBeGreaterThan(500);
      expect(drawn).toBe(available);
    });

    it.each(PAGES)(
      "moves nothing while %s loads, and has no violation there",
      async (path, heading) => {
        // Without a click, because what moves after one does not count.
        await openWithoutLoading(page, `${home}/${path}`);
        await appears(page.getByRole("heading", { name: heading, level: 1 }));
        await hasLoaded(page);
        expect(await layoutShift(page)).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
        expect(await violationsOf(page)).toEqual([]);
      },
    );

    it("has what is pressed in refused requests high enough for a finger on a phone", async () => {
      const log = "**/request-log?*";
      await page.route(log, async (route) => {
        const response = await route.fetch();
        const { data, ...rest } = (await response.json()) as { data: { request: object }[] };
        const path = "/v1/images/generations/{id}";
        const refused = { path, status: 409, error_code: "not_cancelable" };
        const shown = data.map((entry) => ({
          ...entry,
          request: { ...entry.request, ...refused },
        }));
        await route.fulfill({ response, json: { ...rest, data: shown } });
      });
      await openWithoutLoading(page, `${home}/overview`);
      await openWithoutLoading(page, `${home}/requests`);
      await onPhone(page, async () => {
        await page.getByText("not_cancelable").filter({ visible: true }).first().waitFor();
        const rows = page.getByRole("table", { name: "Requests" }).locator("tbody");
        await rows
          .getByRole("link", { name: /^igen_/ })
          .first()
          .waitFor();
        expect(await accessibilityFaults(page, { runOnly: ["target-size"] })).toEqual([]);
      });
      await page.unroute(log);
    });

    it("moves nothing where the pointer is over the chart, which shows what was used that day", async () => {
      const usage = "**/usage?*";
      await page.route(usage, (route) => route.fulfill({ json: sampleUsage(Date.now()) }));
      await page.goto(`${home}/overview`);
      const chart = page.getByRole("img", { name: /^Bars of the Tokens/ });
      const below = page.getByText("Show as a table");
      await below.waitFor();
      await onPhone(page, async () => {
        await chart.scrollIntoViewIfNeeded();
        await waitUntil(page, `document.documentElement.scrollWidth <= ${PHONE.width}`);
        const before = await below.boundingBox();
        for (const x of [80, 200, 290]) {
          await chart.hover({ position: { x, y: 100 } });
          await page.getByText(/^\w+ \d+: [\d,]+$/).waitFor();
          expect(await below.boundingBox()).toEqual(before);
        }
      });
      await page.unroute(usage);
    });

    it("finds no violation on a generation and on a webhook delivery", async () => {
      await goTo(page, "Generations");
      await page.getByRole("row").getByRole("link").first().click();
      await page.getByRole("heading", { name: "Timeline" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await goTo(page, "Webhooks");
      await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click();
      await page.getByRole("heading", { name: "Attempts" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    });

    it("has a menu on a phone, which Escape closes", async () => {
      await onPhone(page, async () => {
        await page.getByRole("button", { name: "Open the menu" }).click();
        await page.getByRole("button", { name: "Close the menu" }).waitFor();
        await page.keyboard.press("Escape");
        const burger = page.getByRole("button", { name: "Open the menu" });
        await burger.waitFor();
        expect(await burger.getAttribute("aria-expanded")).toBe("false");
      });
    });

    it("finds no violation in a dialog, which Escape closes", async () => {
      await goTo(page, "API keys");
      await page.getByRole("button", { name: "Create key" }).press("Enter");
      await page.getByRole("dialog").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });
  });

  describe("the pages before sign-in", () => {
    it("load at most 250 kB, gzipped, move nothing and have no violation", async () => {
      const page = await context().chromium.newPage();
      await countShifts(page);
      const { bytes } = await loadedFiles(page, async () => {
        await page.goto("/dashboard/sign-in");
        await appears(page.getByRole("heading", { name: "Sign in" }));
      });
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
      expect(await layoutShift(page)).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
      expect(await violationsOf(page)).toEqual([]);
      for (const [path, heading] of ENTRY_PAGES) {
        await openWithoutLoading(page, `/dashboard/${path}`);
        await appears(page.getByRole("heading", { name: heading }));
        expect(await layoutShift(page)).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
        expect(await violationsOf(page)).toEqual([]);
      }
      await page.context().close();
    });
  });
}

const hasLoaded = (page: Page) =>
  waitUntil(
    page,
    "document.querySelector('[role=status] .mantine-Loader-root, .mantine-Skeleton-root') === null",
  );

/** Checks all rules in light, contrast in dark, and that a phone shows the page without sideways scrolling. */
export async function violationsOf(page: Page): Promise<string[]> {
  await hasLoaded(page);
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
