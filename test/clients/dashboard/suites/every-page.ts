/** Guarantees for every page: nothing moves while it loads, no accessibility violation, no sideways scrolling on a phone. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { shared } from "../context.ts";
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

describe("every page", () => {
  beforeAll(async () => {
    const { page, visitor } = shared;
    await visitor.context().clearCookies();
    await visitor.goto("/dashboard/sign-in");
    // Under the pointer a page may show a tooltip.
    await page.mouse.move(0, 0);
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

  it.each(PAGES.map((one, index) => [...one, index] as const))(
    "moves nothing while %s loads, and has no violation",
    async (path, heading, index) => {
      // Without a click, because what moves after one does not count.
      await openWithoutLoading(shared.page, shared.at(path));
      expect(await faultsOf(shared.page, heading, index)).toEqual([]);
    },
  );

  it.each(ENTRY_PAGES.map((one, index) => [...one, index] as const))(
    "before sign-in does so too: %s",
    async (path, heading, index) => {
      await openWithoutLoading(shared.visitor, `/dashboard/${path}`);
      expect(await faultsOf(shared.visitor, heading, index)).toEqual([]);
    },
  );

  it("has no violation on a generation, on a webhook delivery and in a dialog", async () => {
    const { page } = shared;
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
