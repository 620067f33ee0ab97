/** Signing up, in and out. */
import { describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { ADA, scopeOf, signIn, signUp } from "../user-actions.ts";

export function signingIn(context: Context): void {
  describe("signing in", () => {
    it("lets a user sign up, into their own account with test access", async () => {
      const { page } = context();
      await signUp(page, ADA);
      expect(scopeOf(page)).toEqual({
        accountId: expect.stringMatching(/^acct_/) as string,
        mode: "test",
      });
      await page.getByText("1,000,000").first().waitFor();
      await expect(page.getByText("Test mode").first().isVisible()).resolves.toBe(true);
    });

    it("shows the server's message for a wrong password, and accepts the right one", async () => {
      const { page } = context();
      await page.getByRole("button", { name: ADA.email }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await signIn(page, { ...ADA, password: "difference engine" });
      const alert = page.getByRole("alert");
      await alert.waitFor();
      expect(await alert.innerText()).toMatch(/e-mail or the password is wrong/i);
      await signIn(page, ADA);
      await page.getByRole("heading", { name: "Overview" }).waitFor();
    });

    it("sends a visitor of an account's page to sign-in first, and to that page afterwards", async () => {
      const { page, chromium } = context();
      const wanted = new URL(page.url()).pathname.replace("overview", "billing");
      const visitor = await chromium.newPage();
      await visitor.goto(wanted);
      await visitor.getByRole("heading", { name: "Sign in" }).waitFor();
      await signIn(visitor, ADA);
      await visitor.getByRole("heading", { name: "Usage and billing" }).waitFor();
      expect(new URL(visitor.url()).pathname).toBe(wanted);
      await visitor.context().close();
    });

    it("keeps the session cookie inaccessible to scripts", async () => {
      const { page } = context();
      const cookies = await page.context().cookies();
      expect(cookies.length).toBeGreaterThan(0);
      for (const cookie of cookies) {
        expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" });
      }
      expect(await page.evaluate("document.cookie")).toBe("");
    });
  });
}
