/** The first load of a page, and a network that goes and comes back. */
import { describe, expect, it } from "vitest";
import { shared } from "../context.ts";
import { appears } from "../user-actions.ts";
import { loadFaults } from "../violations.ts";

describe("a page", () => {
  it("loads little at first; without a network it says so, keeps the menu, and goes on by itself afterwards", async () => {
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
});
