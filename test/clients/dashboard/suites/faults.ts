/** Pages that cannot be loaded, and a network that goes and comes back. */
import type { Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { goTo } from "../user-actions.ts";

export function faults(context: Context): void {
  describe("without a network", () => {
    it("says so, keeps the menu where a page cannot be loaded, and goes on by itself afterwards", async () => {
      const { page } = context();
      const connection = page.getByRole("status", { name: "Connection" });
      const menu = page.getByRole("navigation", { name: "Pages" });
      await page.context().setOffline(true);
      await connection.getByText("You are offline").waitFor();
      await menu.getByRole("link", { name: "Webhooks" }).click();
      await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
      await goTo(page, "Overview");
      await menu.getByRole("link", { name: "Webhooks" }).click();
      await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
      await page.context().setOffline(false);
      await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
      await connection.getByText("Live updates are back").waitFor();
      expect(await menu.isVisible()).toBe(true);
    });
  });

  describe("a server that is away for a while", () => {
    it("is asked again for what could not be read, once live updates are back", async () => {
      const { page } = context();
      const api = "**/dashboard/api/**";
      await page.route(api, (route) => route.abort());
      await goTo(page, "Members");
      await page.getByRole("alert").first().waitFor();
      await page.unroute(api);
      // A tab that is seen again opens its live updates again, as after an outage.
      await show(page, "hidden");
      await show(page, "visible");
      await page.getByRole("table", { name: "Members" }).waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    });
  });

  describe("a hidden tab", () => {
    it("closes its live updates, and opens them again when it is seen", async () => {
      const { page } = context();
      const isStream = (request: Request) => request.url().includes("/events?");
      const closed = page.waitForEvent("requestfailed", isStream);
      await show(page, "hidden");
      await closed;
      const opened = page.waitForRequest(isStream);
      await show(page, "visible");
      expect((await opened).method()).toBe("GET");
    });
  });

  describe("a file that the server no longer has", () => {
    it("loads the document again once, then says that the page cannot be loaded, until it can", async () => {
      const { page } = context();
      const chunk = "**/assets/audit-log-*.js";
      let loads = 0;
      page.on("load", () => (loads += 1));
      await page.route(chunk, (route) => route.fulfill({ status: 404 }));
      const menu = page.getByRole("navigation", { name: "Pages" });
      await menu.getByRole("link", { name: "Audit log" }).click();
      await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
      expect(loads).toBe(1);
      await page.unroute(chunk);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Audit log", level: 1 }).waitFor();
      expect(loads).toBe(1);
      await goTo(page, "Overview");
    });
  });
}

/** As if the user had gone to another tab, or come back: headless Chromium shows every page. */
async function show(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));`);
}
