/**
 * Guarantees for every page: no accessibility violation, no sideways scrolling on a phone; a small first load, and a
 * network that goes and comes back.
 */
import { pollMs } from "../../../../clients/dashboard/src/data/refetch.ts";
import { shared } from "../context.ts";
import { appears, goTo, openWithoutLoading } from "../user-actions.ts";
import { loadFaults, violationsOf } from "../violations.ts";

const PAGES: [string, string, ("page" | "visitor")?][] = [
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
  // These are for who is not signed in.
  ["../../sign-in", "Sign in", "visitor"],
  ["../../sign-up", "Create an account", "visitor"],
  ["../../forgotten-password", "Set a new password", "visitor"],
  ["../../confirm-email", "Confirm your e-mail", "visitor"],
  ["../../invitations#token=unknown", "Invitation", "visitor"],
];

describe("every page", () => {
  beforeAll(async () => {
    const { page, visitor } = shared;
    await visitor.context().clearCookies();
    await visitor.goto("/dashboard/sign-in");
    // Under the pointer a page may show a tooltip.
    await page.mouse.move(0, 0);
  });

  it.each(
    PAGES.map(([path, heading, window = "page"], index) => [path, heading, window, index] as const),
  )("has no violation: %s", async (path, heading, window, index) => {
    const one = shared[window];
    await openWithoutLoading(one, shared.at(path));
    await appears(one.getByRole("heading", { name: heading, level: 1 }));
    // The colours are those of the theme: half of the pages show them in dark.
    expect(await violationsOf(one, index % 2 === 0 ? "light" : "dark")).toEqual([]);
  });

  it("has no violation in a notice, on a generation, on a webhook delivery and in a dialog", async () => {
    const { page } = shared;
    // All deliveries are failing.
    await page.route(/status=failing/, (route) =>
      route.continue({ url: route.request().url().replace("status=failing", "") }),
    );
    await page.goto(shared.at("overview"));
    await page.getByRole("link", { name: "See them" }).waitFor();
    expect(await violationsOf(page, "dark")).toEqual([]);
    await page.unroute(/status=failing/);
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
  await page.clock.install();
  const connection = page.getByRole("status", { name: "Connection" });
  const menu = page.getByRole("navigation", { name: "Pages" });
  const found = await loadFaults(page, async () => {
    await page.goto(shared.at("overview"));
    await appears(page.getByRole("heading", { name: "Overview", level: 1 }));
  });
  expect([...found, ...shared.signInFaults]).toEqual([]);
  // It takes requests and answers none; reads are given up sooner here.
  await page.evaluate("AbortSignal.timeout = AbortSignal.timeout.bind(AbortSignal, 500)");
  await page.route("**/session", () => {});
  await page.clock.fastForward(pollMs(false));
  await connection.getByText("The service does not answer.").waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.clock.fastForward(pollMs(false));
  await connection.getByText("The service does not answer.").waitFor({ state: "detached" });
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
