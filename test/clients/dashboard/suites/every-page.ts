/**
 * Guarantees for every page: no accessibility violation, no sideways scrolling on a phone; a small first load, and a
 * network that goes and comes back.
 */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { shared } from "../context.ts";
import { appears, goTo, openWithoutLoading } from "../user-actions.ts";
import { loadFaults, violationsOf } from "../violations.ts";

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
  });

  // The colours are those of the theme: half of the pages show them in dark.
  const faultsOf = async (one: Page, heading: string, index: number) => {
    await appears(one.getByRole("heading", { name: heading, level: 1 }));
    return violationsOf(one, index % 2 === 0 ? "light" : "dark");
  };

  it.each(PAGES.map((one, index) => [...one, index] as const))(
    "has no violation: %s",
    async (path, heading, index) => {
      await openWithoutLoading(shared.page, shared.at(path));
      expect(await faultsOf(shared.page, heading, index)).toEqual([]);
    },
  );

  it.each(ENTRY_PAGES.map((one, index) => [...one, index] as const))(
    "has no violation before sign-in: %s",
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

it("a page loads little at first; without a network it says so, keeps the menu, and goes on by itself afterwards", async () => {
  // A window of its own, whose cache has no files.
  const storageState = await shared.page.context().storageState();
  const page = await shared.chromium.newPage({ storageState });
  const connection = page.getByRole("status", { name: "Connection" });
  const menu = page.getByRole("navigation", { name: "Pages" });
  const found = await loadFaults(page, async () => {
    await page.goto(shared.at("overview"));
    await appears(page.getByRole("heading", { name: "Overview", level: 1 }));
  });
  expect([...found, ...shared.signInFaults]).toEqual([]);
  await page.context().setOffline(true);
  // The browser tells the page before it stops what is requested: on a busy machine the next file still came.
  await page.route("**", (route) => route.abort("internetdisconnected"));
  await connection.getByText("You are offline").waitFor();
  await menu.getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
  // The document stays, and the page's file is asked for again.
  const asked = page.waitForRequest(/\/assets\/webhooks-.*\.js$/);
  await page.getByRole("button", { name: "Load it again" }).click();
  await asked;
  await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().setOffline(false);
  await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  await connection.getByText("You are offline").waitFor({ state: "detached" });
  expect(await menu.isVisible()).toBe(true);
  await page.context().close();
});
