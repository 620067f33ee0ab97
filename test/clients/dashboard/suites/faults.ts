/** Pages that cannot be loaded, and a network that goes and comes back. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { signedInPage, type Context } from "../context.ts";
import { goTo } from "../user-actions.ts";

export function faults(context: Context): void {
  describe("a page", () => {
    const window = signedInPage(context);

    it("without a network says so, keeps the menu, and goes on by itself afterwards", async () => {
      const page = window();
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
      await connection.getByText("You are offline").waitFor({ state: "detached" });
      expect(await menu.isVisible()).toBe(true);
    });

    it("asks again for what it could not read once its tab is seen again", async () => {
      const page = window();
      const api = "**/dashboard/api/**";
      await page.route(api, (route) => route.abort());
      await goTo(page, "Members");
      await page.getByRole("alert").first().waitFor();
      await page.unroute(api);
      await show(page, "hidden");
      await show(page, "visible");
      await page.getByRole("table", { name: "Members" }).waitFor();
      await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    });

    it("whose file the server no longer has loads the document again once, then says so, until it can be loaded", async () => {
      const page = window();
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
    });
  });
}

/** As if the user had gone to another tab, or come back: headless Chromium shows every page. */
async function show(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));`);
}
