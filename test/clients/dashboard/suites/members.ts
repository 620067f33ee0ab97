/** Settings, Members: joining by an invitation link, and what members cannot see. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { linkIn, secretsIn } from "../../../support/smtp-server.ts";
import type { Context } from "../context.ts";
import { violationsOf } from "./every-page.ts";
import {
  ADA,
  PHONE,
  appears,
  goTo,
  onPhone,
  openProfile,
  openWithoutLoading,
  scopeOf,
  signIn,
} from "../user-actions.ts";

const GRACE = { name: "Grace Hopper", email: "grace@example.com", password: "nanosecond wire" };

export function members(context: Context): void {
  describe("members", () => {
    let other: Page;

    it("join by the invitation link, and see the account but not the owners' controls", async () => {
      const { page, chromium, smtp } = context();
      await goTo(page, "Members");
      await page.getByLabel("E-mail").fill(GRACE.email);
      await page.getByRole("button", { name: "Invite" }).click();
      const link = linkIn(await smtp.next(GRACE.email)).href;

      other = await chromium.newPage();
      await other.goto(link);
      await other.getByLabel("Your name").fill(GRACE.name);
      await other.getByRole("textbox", { name: "Password" }).fill(GRACE.password);
      await other.getByRole("button", { name: "Sign up" }).click();
      await appears(other.getByRole("heading", { name: "Overview" }));
      expect(scopeOf(other).accountId).toBe(scopeOf(page).accountId);
      await goTo(other, "Members");
      await other.getByRole("row", { name: GRACE.name }).waitFor();
      expect(await other.getByRole("heading", { name: "Invite someone" }).count()).toBe(0);
      await goTo(other, "Webhooks");
      expect(await other.getByRole("button", { name: "Rotate" }).count()).toBe(0);
    });

    it("have the name that they choose in their profile", async () => {
      const { page } = context();
      await openProfile(other, GRACE);
      const rename = other.getByRole("button", { name: "Rename" });
      expect(await rename.isDisabled()).toBe(true);
      await other.getByLabel("Your name").fill(" Amazing Grace ");
      await rename.click();
      await other.getByRole("link", { name: "Back to the overview" }).click();
      await goTo(other, "Members");
      await other.getByRole("row", { name: "Amazing Grace" }).waitFor();
      await page.reload();
      await page.getByRole("row", { name: "Amazing Grace" }).waitFor();
    });

    it("have an invitation withdrawn, also on a phone", async () => {
      const { page } = context();
      const email = "somebody.with.a.long.name@mail.example.com";
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("button", { name: "Invite" }).click();
      const withdraw = page.getByRole("button", { name: `Withdraw the invitation of ${email}` });
      await withdraw.waitFor();
      const replaced = page.getByText("The link of the earlier invitation no longer works.");
      expect(await replaced.count()).toBe(0);
      await page.getByLabel("E-mail").fill(email.toUpperCase());
      await page.getByLabel("Role", { exact: true }).selectOption({
        label: "viewer: reads everything but signing secrets",
      });
      await page.getByRole("button", { name: "Invite" }).click();
      await replaced.waitFor();
      await onPhone(page, async () => {
        const rightEdge = async () => {
          const { x = 0, width = 0 } = (await withdraw.boundingBox()) ?? {};
          return x + width;
        };
        // The layout slides to its new place.
        await expect.poll(rightEdge, { timeout: 10_000 }).toBeLessThan(PHONE.width);
        await withdraw.click();
        await withdraw.waitFor({ state: "detached" });
      });
    });

    it("get another role only after a confirmation", async () => {
      const { page } = context();
      await page.reload();
      const role = page.getByLabel("Role of Amazing Grace");
      await role.selectOption("viewer");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(await role.inputValue()).toBe("developer");
      await role.selectOption("viewer");
      await dialog.getByRole("button", { name: "Change role" }).click();
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => role.inputValue()).toBe("viewer");
      await goTo(page, "Audit log");
      await page.getByRole("row", { name: /Changed a role.*to: viewer/ }).waitFor();
    });

    it("are told of a page that their role may not see, and of the last owner's role, before they try", async () => {
      const { page } = context();
      const { accountId } = scopeOf(page);
      await other.reload();
      for (const [path, label] of [
        ["playground", "Playground"],
        ["settings/audit-log", "Audit log"],
      ]) {
        await openWithoutLoading(other, `/dashboard/${accountId}/test/${path}`);
        await other.getByRole("heading", { name: `${label} is not for your role` }).waitFor();
      }
      expect(await violationsOf(other)).toEqual([]);
      await goTo(page, "Overview");
      await goTo(page, "Members");
      // The focus is where the page begins.
      await expect.poll(() => page.evaluate("document.activeElement.innerText")).toBe("Members");
      await page.getByLabel(`Role of ${ADA.name}`).selectOption("viewer");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Make another member an owner first.").waitFor();
      expect(await dialog.getByRole("button", { name: "Change role" }).isDisabled()).toBe(true);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });

    it("are told at once when they have been removed", async () => {
      const { page } = context();
      await goTo(page, "Members");
      await page.getByRole("button", { name: "Remove Amazing Grace" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Remove" }).click();
      await dialog.waitFor({ state: "detached" });
      const told = other.getByRole("heading", { name: /You are no longer a member of/ });
      await appears(told);
      expect(await told.innerText()).toContain("Ada Lovelace");
      await other.context().close();
    });

    it("who have a login already sign in and join, and the link's secret is in no path or query", async () => {
      const { page, chromium, smtp } = context();
      await page.getByLabel("E-mail").fill(GRACE.email);
      await page.getByRole("button", { name: "Invite" }).click();
      const mail = await smtp.next(GRACE.email);
      const { token = "" } = secretsIn(mail);
      other = await chromium.newPage();
      const requested: string[] = [];
      other.on("request", (request) => requested.push(request.url().replace(/#.*/, "")));
      await other.goto("/dashboard/sign-in");
      await signIn(other, ADA);
      await other.getByRole("heading", { name: "Overview" }).waitFor();
      // The invitation is for somebody else: who is signed in can leave and come back to it.
      await other.goto(linkIn(mail).href);
      await other.getByText(`You are signed in as ${ADA.email}.`).waitFor();
      await other.getByRole("button", { name: "Sign out and come back here" }).click();
      await other.getByRole("link", { name: "Sign in and join" }).click();
      await other.reload();
      await signIn(other, GRACE);
      await other.getByRole("button", { name: `Join as ${GRACE.email}` }).click();
      await appears(other.getByRole("heading", { name: "Overview" }));
      expect(scopeOf(other).accountId).toBe(scopeOf(page).accountId);
      expect(requested.filter((url) => url.includes(token))).toEqual([]);
      await other.context().close();
      await page.reload();
      await page.getByRole("button", { name: "Remove Amazing Grace" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });
  });
}
