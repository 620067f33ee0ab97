/** An API key's life: created, used, renamed and revoked. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Context } from "../context.ts";
import { ADA, createKey, goTo, onPhone, openInMode, scopeOf } from "../user-actions.ts";

const REVOKED_WITHIN_MS = 1_000;
const POLL_MS = 50;

export function apiKeys(context: Context): void {
  let liveKey = "";
  const statusWith = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await fetch(`${context().service.url}/v1/models`, { headers });
    return status;
  };

  describe("an API key", () => {
    it("is shown once, works, and is in no page, response or storage afterwards", async () => {
      const { page } = context();
      const key = await createKey(page, "Laptop");
      expect(await page.evaluate("document.activeElement.innerText")).toBe("Copy the key");
      expect(key).toMatch(/^mgs_test_[0-9A-Za-z]{38}$/);
      expect(await statusWith(key)).toBe(200);
      await page.keyboard.press("Escape");
      expect(await page.getByTestId("new-key").innerText()).toBe(key);
      const first = await page.getByRole("region", { name: "First request" }).innerText();
      expect(first.split("\n")[0]).toBe(`export MEDIA_API_KEY=${key}`);
      expect(first).toMatch(/^ {2}-d '\{\n {4}"model": ".+",\n {4}"prompt": ".+"\n {2}\}'$/m);
      await page.getByRole("button", { name: "I have saved it" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await page.content()).not.toContain(key);

      const responses: Promise<string>[] = [];
      page.on("response", (response) => {
        const isStream = response.headers()["content-type"]?.includes("event-stream");
        if (!isStream) responses.push(response.text().catch(() => ""));
      });
      await page.reload();
      await page.getByRole("row", { name: "Laptop" }).waitFor();
      page.removeAllListeners("response");
      expect(await page.content()).not.toContain(key);
      for (const text of await Promise.all(responses)) expect(text).not.toContain(key);
      const stored = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])";
      expect(await page.evaluate(stored)).not.toContain(key);
      expect(await page.getByRole("row", { name: "Laptop" }).innerText()).toContain(
        `mgs_test_…${key.slice(-4)}`,
      );
    });

    it("is refused within a second of being revoked", async () => {
      const { page } = context();
      const key = await createKey(page, "Short-lived");
      await page.getByRole("button", { name: "I have saved it" }).click();
      expect(await statusWith(key)).toBe(200);
      await page.getByRole("button", { name: "Actions for Short-lived" }).click();
      await page.getByRole("menuitem", { name: "Revoke" }).click();
      const asked = page.getByRole("dialog", { name: `Revoke Short-lived (…${key.slice(-4)})?` });
      await asked.getByText(/, created \w+ \d+, \d{4}, \d+:\d\d/).waitFor();
      const revoked = page.waitForResponse((response) => response.request().method() === "DELETE");
      await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
      await revoked;
      const revokedAt = performance.now();
      for (let sentAt = revokedAt; (await statusWith(key)) !== 401; sentAt = performance.now()) {
        expect(sentAt - revokedAt).toBeLessThan(REVOKED_WITHIN_MS);
        await systemClock.sleep(POLL_MS);
      }
      await page.getByRole("row", { name: "Short-lived" }).waitFor({ state: "detached" });
    });

    it("is created to do less than everything, which the list shows, until it is changed", async () => {
      const { page } = context();
      await page.getByRole("button", { name: "Create key" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Reports");
      await dialog.getByRole("combobox", { name: "May do" }).click();
      await page.getByRole("option", { name: "Only read" }).click();
      await dialog.getByRole("button", { name: "Create key" }).click();
      const key = await dialog.getByTestId("new-key").innerText();
      await page.getByRole("button", { name: "I have saved it" }).click();
      await page.getByRole("row", { name: "Reports" }).getByText("Only reads").waitFor();
      expect(await statusWith(key)).toBe(200);
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const body = '{"model":"gamma-image-3.0-pro","prompt":"A paper boat"}';
      const create = () =>
        fetch(`${context().service.url}/v1/images/generations`, { method: "POST", headers, body });
      expect((await create()).status).toBe(403);
      await page.getByRole("button", { name: "Actions for Reports" }).click();
      await page.getByRole("menuitem", { name: "Permissions" }).click();
      await dialog.getByRole("combobox", { name: "May do" }).click();
      await page.getByRole("option", { name: "Everything, but create only videos" }).click();
      await dialog.getByRole("combobox", { name: "Models" }).click();
      await page.getByRole("option", { name: "alpha-2.0", exact: true }).click();
      // The list of models stays open for more of them, until the field is left.
      await dialog.getByRole("combobox", { name: "Models" }).press("Tab");
      await dialog.getByRole("button", { name: "Save permissions" }).click();
      await page
        .getByRole("row", { name: "Reports" })
        .getByText("Creates only videos, with alpha-2.0")
        .waitFor();
    });

    it("has a first step on the overview until one has been used, which opens the form", async () => {
      const { page } = context();
      const { accountId } = scopeOf(page);
      const keys = "**/dashboard/api/accounts/*/keys";
      const show = async (change: (all: object[]) => object[]) => {
        await page.unroute(keys);
        await page.route(keys, async (route) => {
          const response = await route.fetch();
          const { data, ...rest } = (await response.json()) as { data: object[] };
          await route.fulfill({ response, json: { ...rest, data: change(data) } });
        });
        await page.goto(`/dashboard/${accountId}/test/overview`);
        await page.getByRole("heading", { name: "Recent generations" }).waitFor();
      };
      const steps = page.getByRole("region", { name: "First steps" });
      await show((all) => all.map((key) => ({ ...key, last_used_at: new Date().toISOString() })));
      expect(await steps.count()).toBe(0);
      await show((all) => all.map((key) => ({ ...key, last_used_at: undefined })));
      await steps.getByText("Done: there is an API key of test mode.").waitFor();
      await show(() => []);
      const live = page.getByRole("region", { name: "Balance in live mode" });
      const access = live.getByRole("link", { name: "production access" });
      expect(await access.getAttribute("href")).toMatch(/\/live\/overview$/);
      await steps.getByRole("link", { name: "Create an API key" }).click();
      await page.getByRole("dialog", { name: "Create an API key of test mode" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.unroute(keys);
      await page.reload();
      await page.getByRole("row", { name: "Reports" }).waitFor();
    });

    it("has what the server says of a field at the field, by its label", async () => {
      const { page } = context();
      const keys = "**/dashboard/api/accounts/*/keys";
      const error = { code: "invalid_value", message: "name must be another one.", param: "name" };
      await page.route(keys, (route) => route.fulfill({ status: 400, json: { error } }));
      await page.getByRole("button", { name: "Create key" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Taken");
      await dialog.getByRole("button", { name: "Create key" }).click();
      await dialog.getByText("Name must be another one.").waitFor();
      expect(await dialog.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
      expect(await dialog.getByRole("alert").count()).toBe(0);
      await page.unroute(keys);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });

    it("has its menu in focus again once a dialog of the menu is closed", async () => {
      const { page } = context();
      const menu = page.getByRole("button", { name: "Actions for Reports" });
      await menu.press("Enter");
      await page.getByRole("menuitem", { name: "Permissions" }).press("Enter");
      const dialog = page.getByRole("dialog", { name: "Permissions of Reports" });
      const isIn = "document.activeElement.closest('[role=dialog]') !== null";
      await expect.poll(() => page.evaluate(isIn)).toBe(true);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      const focused = () => page.evaluate("document.activeElement.ariaLabel");
      await expect.poll(focused, { timeout: 5_000 }).toBe("Actions for Reports");
    });

    it("says on a phone too when it was used last and when it expires", async () => {
      const { page } = context();
      const facts = page.getByRole("row", { name: "Reports" }).getByText(/Used: .*Expires: /);
      expect(await facts.isVisible()).toBe(false);
      await onPhone(page, () => facts.waitFor());
    });

    it("is asked for its name where there is none, by an example that stays grey", async () => {
      const { page } = context();
      await page.getByRole("button", { name: "Create key" }).click();
      const name = page.getByRole("dialog").getByLabel("Name");
      const color = () =>
        page.evaluate("getComputedStyle(document.activeElement, '::placeholder').color");
      await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("name");
      const grey = await color();
      await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
      await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
      expect(await color()).toBe(grey);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });

    it("is rolled: a new key with the same name works at once, and the old one for the chosen time", async () => {
      const { page } = context();
      const old = await createKey(page, "Rolled");
      await page.getByRole("button", { name: "I have saved it" }).click();
      const roll = async (choice: string) => {
        await page.getByRole("button", { name: "Actions for Rolled" }).first().click();
        await page.getByRole("menuitem", { name: "Roll" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("combobox", { name: "The old key works" }).click();
        await page.getByRole("option", { name: choice }).click();
        await dialog.getByRole("button", { name: "Roll key" }).click();
        const key = await dialog.getByTestId("new-key").innerText();
        await page.getByRole("button", { name: "I have saved it" }).click();
        return key;
      };
      const second = await roll("For 1 hour");
      expect([await statusWith(old), await statusWith(second)]).toEqual([200, 200]);
      const rows = page.getByRole("row", { name: "Rolled" });
      await expect.poll(() => rows.count()).toBe(2);
      expect(await rows.first().innerText()).toContain(second.slice(-4));
      expect(await rows.last().innerText()).toMatch(/\d:\d\d/);
      expect(await rows.getByText(/^expires .+ \d+:\d\d:\d\d/).allInnerTexts()).toHaveLength(1);
      await rows
        .last()
        .getByText(/^expires/)
        .waitFor();
      const third = await roll("No longer: revoke it now");
      await expect.poll(() => statusWith(second)).toBe(401);
      expect([await statusWith(old), await statusWith(third)]).toEqual([200, 200]);
      expect(await page.getByText(second.slice(-4)).count()).toBe(0);
    });

    it("is renamed", async () => {
      const { page } = context();
      await page.getByRole("button", { name: "Actions for Laptop" }).click();
      await page.getByRole("menuitem", { name: "Rename" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("Notebook");
      await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
      await page.getByRole("row", { name: "Notebook" }).waitFor();
      expect(await page.getByRole("row", { name: "Laptop" }).count()).toBe(0);
    });

    it("is not created for live mode until operations grant production access", async () => {
      const { page, service, smtp } = context();
      const { accountId } = scopeOf(page);
      await openInMode(page, "live", "settings/keys");
      await page.getByText("No API keys of live mode").waitFor();
      expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
      const forced = await page.evaluate(
        async ([account]) => {
          const response = await fetch(`/dashboard/api/accounts/${account}/keys`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: '{"name":"Forced","mode":"live"}',
          });
          return { status: response.status, text: await response.text() };
        },
        [accountId],
      );
      expect(forced.status).toBe(403);
      expect(forced.text).toContain("production_access_required");

      await openInMode(page, "live", "overview");
      await page.getByText("Live mode has no API keys before production access").waitFor();
      expect(await page.getByText("mgs_live_").count()).toBe(0);
      await openInMode(page, "live", "settings/keys");
      await page.getByRole("button", { name: "Request production access" }).click();
      await page.getByLabel("What is it for?").fill("Clips for our shop");
      await page.getByRole("button", { name: "Send the request" }).click();
      await page.getByText("The answer comes by mail.").first().waitFor();
      const [asked] = await service.ops<{ id: string; message: string }[]>("requests", "list");
      expect(asked?.message).toBe("Clips for our shop");
      await service.ops("requests", "approve", "--id", asked?.id ?? "", "--answer", "Welcome.");
      expect((await smtp.next(ADA.email, "Your request")).text).toContain("production access");
      await page.reload();
      await goTo(page, "API keys");
      await page.getByRole("button", { name: "Create key" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("Production server");
      await dialog.getByLabel("Tokens a month").fill("7000");
      await dialog.getByRole("button", { name: "Create key" }).click();
      liveKey = await dialog.getByTestId("new-key").innerText();
      expect(liveKey).toMatch(/^mgs_live_/);
      await page.getByRole("button", { name: "I have saved it" }).click();
      const row = page.getByRole("row", { name: "Production server" });
      await row.getByText("Uses at most 7,000 a month").waitFor();
    });

    it("is refused beyond a limit of Tokens that is set for it", async () => {
      const { page, service } = context();
      const { accountId } = scopeOf(page);
      using operator = service.operator();
      await operator.billing.recharge({ accountId, mode: Mode.LIVE, tokens: 10_000n });
      await page.getByRole("button", { name: "Actions for Production server" }).click();
      await page.getByRole("menuitem", { name: "Token limits" }).click();
      await page.getByLabel("Tokens a day").fill("1");
      await page.getByRole("button", { name: "Save limits" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      const refused = await fetch(`${service.url}/v1/videos/generations`, {
        method: "POST",
        headers: { authorization: `Bearer ${liveKey}`, "content-type": "application/json" },
        body: '{"model":"beta-3.0-video","prompt":"A paper boat"}',
      });
      expect(refused.status).toBe(402);
      expect(await refused.json()).toMatchObject({
        error: { code: "spend_limit_reached", details: { limit: 1, scope: "key" } },
      });
      await goTo(page, "Usage and billing");
      const balanceIn = (mode: string) =>
        page.getByRole("region", { name: `Balance in ${mode} mode` }).innerText();
      await expect.poll(() => balanceIn("live")).toMatch(/10,000\s+Tokens\s+about 100\.00 USD;/);
      expect(await balanceIn("test")).not.toContain("USD");
      await page.getByRole("tab", { name: "Limits and alerts" }).click();
      await page.getByLabel("Tokens a month").fill("5000");
      await page.getByRole("button", { name: "Save limits" }).click();
      await page.getByText("0 of 5,000 used (about 50.00 USD); starts anew").waitFor();
      await page.getByLabel("Each end user a day").fill("600");
      await page.getByRole("button", { name: "Save end users' limits" }).click();
      await page.getByText("Their own count starts anew").waitFor();
      await page.getByLabel("Alert at these percentages of a limit").fill("80, 100");
      await page.getByRole("button", { name: "Save alerts" }).click();
      await page.getByText("Saved").nth(2).waitFor();
      await openInMode(page, "test", "settings/keys");
    });
  });
}
