/** Guarantees for every page: nothing moves while it loads, no accessibility violation, no sideways scrolling on a phone. */
import { gzipSync } from "node:zlib";
import type { Page, Response } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { appears, goTo, openWithoutLoading } from "../user-actions.ts";
import { MAX_LAYOUT_SHIFT, hasLoaded, layoutShift, violationsOf } from "../violations.ts";

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
  ["sign-in", "Sign in"],
  ["sign-up", "Create an account"],
  ["forgotten-password", "Set a new password"],
  ["confirm-email", "Confirm your e-mail"],
  ["invitations#token=unknown", "Invitation"],
] as const;

const MAX_BYTES = 250_000;
/** The document, what pages share and the page itself. */
const MAX_FILES = 8;

export function everyPage(context: Context): void {
  describe("every page", () => {
    let page: Page;
    let visitor: Page;

    beforeAll(async () => {
      page = context().page;
      visitor = context().visitor;
      await visitor.context().clearCookies();
      // What moved before is no fault of these pages.
      await layoutShift(page);
    });

    // The colours are those of the theme: half of the pages show them in dark.
    const faultsOf = async (one: Page, heading: string, index: number) => {
      await appears(one.getByRole("heading", { name: heading, level: 1 }));
      await hasLoaded(one);
      const shift = await layoutShift(one);
      const moved = shift > MAX_LAYOUT_SHIFT ? [`moves by ${shift}`] : [];
      return [...moved, ...(await violationsOf(one, index % 2 === 0 ? "light" : "dark"))];
    };

    it.each(["overview", "sign-in"])(
      "as the first one loads at most 250 kB, gzipped, in few files: %s",
      async (name) => {
        const one = name === "overview" ? page : visitor;
        const path = name === "overview" ? context().at(name) : `/dashboard/${name}`;
        const { bytes, count } = await loadedFiles(one, async () => {
          await one.goto(path);
          await appears(one.getByRole("heading", { level: 1 }));
        });
        expect(bytes).toBeGreaterThan(100_000);
        expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
        expect(count).toBeLessThanOrEqual(MAX_FILES);
      },
    );

    it.each(PAGES.map((one, index) => [...one, index] as const))(
      "moves nothing while %s loads, and has no violation",
      async (path, heading, index) => {
        // Without a click, because what moves after one does not count.
        await openWithoutLoading(page, context().at(path));
        expect(await faultsOf(page, heading, index)).toEqual([]);
      },
    );

    it.each(ENTRY_PAGES.map((one, index) => [...one, index] as const))(
      "before sign-in does so too: %s",
      async (path, heading, index) => {
        await openWithoutLoading(visitor, `/dashboard/${path}`);
        expect(await faultsOf(visitor, heading, index)).toEqual([]);
      },
    );

    it("has no violation on a generation, on a webhook delivery and in a dialog", async () => {
      await goTo(page, "Generations");
      await page.getByRole("row").getByRole("link").first().click();
      await page.getByRole("heading", { name: "Timeline" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await goTo(page, "Webhooks");
      await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().click();
      await page.getByRole("heading", { name: "Attempts" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await goTo(page, "API keys");
      await page.getByRole("button", { name: "Create key" }).press("Enter");
      await page.getByRole("dialog").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });
  });
}

/** The document, its scripts and its styles that `open` loads: how many they are, and their bytes, gzipped. */
async function loadedFiles(
  page: Page,
  open: () => Promise<void>,
): Promise<{ count: number; bytes: number }> {
  const sizes: Promise<number>[] = [];
  const count = (response: Response) => {
    const type = response.headers()["content-type"] ?? "";
    if (!/javascript|css|html/.test(type)) return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  };
  page.on("response", count);
  await open();
  await page.waitForLoadState("load");
  page.off("response", count);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return { count: sizes.length, bytes };
}
