/** Where the keyboard's focus is after something is pressed: never lost to the document. */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { DESK, PHONE, goTo, scopeOf } from "../user-actions.ts";

export function focus(context: Context): void {
  describe("the focus", () => {
    let page: Page;
    /** The text of what has it, or the name of what has no text. */
    const focused = () =>
      page.evaluate("document.activeElement.innerText || document.activeElement.ariaLabel");
    const hasFocus = async (one: Locator) => (await one.and(page.locator(":focus")).count()) === 1;

    beforeAll(async () => {
      const { chromium, page: signedIn } = context();
      // What fades out is in the document for a while after it is closed.
      page = await chromium.newPage({ reducedMotion: "no-preference" });
      await page.context().addCookies(await signedIn.context().cookies());
      const { accountId } = scopeOf(signedIn);
      await page.goto(`/dashboard/${accountId}/test/overview`);
      await goTo(page, "API keys");
    });
    afterAll(() => page.context().close());

    it.each([
      ["API keys", "Create key", "Cancel"],
      ["API keys", "Create key", "Close"],
      ["API keys", "Create key", undefined],
      ["Webhooks", "Rotate", "Cancel"],
    ])("is given back on %s to %s when its dialog is closed (%s)", async (name, opener, closer) => {
      await goTo(page, name);
      await page.getByRole("button", { name: opener }).press("Enter");
      const dialog = page.getByRole("dialog");
      const isIn = "document.activeElement.closest('[role=dialog]') !== null";
      await expect.poll(() => page.evaluate(isIn)).toBe(true);
      if (closer) await dialog.getByRole("button", { name: closer }).press("Enter");
      else await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await focused()).toBe(opener);
    });

    it.each([
      ["Permissions", "May do"],
      ["Roll", "The old key works"],
      ["Revoke", "Cancel"],
    ])("begins in the dialog of %s at %s, not at the cross", async (action, first) => {
      await goTo(page, "API keys");
      await page
        .getByRole("button", { name: /^Actions for/ })
        .first()
        .press("Enter");
      await page.getByRole("menuitem", { name: action }).press("Enter");
      const dialog = page.getByRole("dialog");
      const label = "(({ labels, innerText }) => labels[0]?.innerText || innerText)";
      await expect.poll(() => page.evaluate(`${label}(document.activeElement)`)).toBe(first);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });

    it("stays on a button whose action goes on, which does nothing more until then", async () => {
      await goTo(page, "Webhooks");
      const asked = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      let requests = 0;
      await page.route("**/test-events?*", async (route) => {
        requests += 1;
        asked.resolve();
        await answered.promise;
        await route.fulfill({ status: 503, json: { error: { message: "Not now." } } });
      });
      await page.getByRole("textbox", { name: "URL" }).fill("https://shop.example.com/hooks");
      const send = page.getByRole("button", { name: "Send", exact: true });
      await send.press("Enter");
      await asked.promise;
      await expect.poll(() => send.getAttribute("aria-disabled")).toBe("true");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Space");
      answered.resolve();
      await page.getByText("Not now.").waitFor();
      expect([await focused(), requests]).toEqual(["Send", 1]);
      await page.unrouteAll();
    });

    it("goes to the first row that was chosen when the bar of chosen rows goes away", async () => {
      const row = page.getByRole("checkbox", { name: "Select: " }).nth(1);
      await row.press("Space");
      const bar = page.getByRole("region", { name: "Selection" });
      await bar.getByRole("button", { name: "Clear" }).press("Enter");
      await bar.waitFor({ state: "detached" });
      expect(await hasFocus(row)).toBe(true);
    });

    it("stays in a field whose value is saved", async () => {
      await goTo(page, "Usage and billing");
      await page.getByRole("tab", { name: "Limits and alerts" }).press("Enter");
      const field = page.getByLabel("Tokens a day");
      await field.fill("123456");
      await field.press("Enter");
      await page.getByText("Saved", { exact: true }).waitFor();
      await page.getByText(/^0 of 123,456 used/).waitFor();
      expect(await hasFocus(field)).toBe(true);
      await field.fill("");
      await field.press("Enter");
      await page.getByText(/^0 of 123,456 used/).waitFor({ state: "detached" });
    });

    it("is not in the closed menu of a narrow window, goes to the page that is chosen in it, and back to its button", async () => {
      await page.setViewportSize(PHONE);
      const menu = page.getByRole("button", { name: "Open the menu" });
      const link = page.getByRole("link", { name: "Members" });
      await expect.poll(() => link.isVisible()).toBe(false);
      await menu.press("Enter");
      await link.focus();
      await page.keyboard.press("Escape");
      await link.waitFor({ state: "hidden" });
      expect(await hasFocus(menu)).toBe(true);
      await menu.press("Enter");
      await link.press("Enter");
      await page.getByRole("heading", { name: "Members" }).waitFor();
      expect(await page.evaluate("document.activeElement.id")).toBe("content");
      await page.setViewportSize(DESK);
    });

    it("goes on to the first of the rows that are shown more", async () => {
      await page.route(/\/generations\?(?!.*after=)/, async (route) => {
        const response = await route.fetch();
        const { data } = (await response.json()) as { data: { id: string }[] };
        const [first] = data;
        await route.fulfill({ response, json: { data: [first], next_after: first?.id } });
      });
      await goTo(page, "Generations");
      const more = page.getByRole("button", { name: "Show more" });
      await more.press("Enter");
      await more.waitFor({ state: "detached" });
      const rows = page.getByRole("checkbox", { name: "Select: " });
      expect(await hasFocus(rows.nth(1))).toBe(true);
      await page.unrouteAll();
    });

    it("goes to what is around a list whose last row was ended", async () => {
      await goTo(page, "Members");
      await page.getByLabel("E-mail").fill("somebody@example.com");
      await page.getByRole("button", { name: "Invite" }).press("Enter");
      const withdraw = page.getByRole("button", { name: /^Withdraw .*somebody@/ });
      await withdraw.press("Enter");
      await withdraw.waitFor({ state: "detached" });
      expect(await page.evaluate("document.activeElement.name")).toBe("email");
      expect(await page.getByLabel("E-mail").inputValue()).toBe("");
    });

    it("goes to the row that is now where the one was that was deleted", async () => {
      await goTo(page, "Generations");
      await page.route(/\/generations\/\w+\?/, (route) => route.fulfill({ status: 204 }));
      const rows = page.getByRole("checkbox", { name: "Select: " });
      const next = await rows.nth(1).getAttribute("aria-label");
      await rows.first().press("Space");
      const bar = page.getByRole("region", { name: "Selection" });
      await bar.getByRole("button", { name: "Delete" }).press("Enter");
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
      await bar.waitFor({ state: "detached" });
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await focused()).toBe(next);
      await page.unrouteAll();
    });
  });
}
