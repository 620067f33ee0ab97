/** Signing up, in and out, as a person does it. */
import { describe, expect, it } from "vitest";
import type { Context } from "../context.ts";
import { ADA, placeOf, signIn, signUp } from "../person.ts";

export function signingIn(context: Context): void {
  describe("signing in", () => {
    it("lets a person sign up, into an account of their own with test access", async () => {
      const { page } = context();
      await signUp(page, ADA);
      expect(placeOf(page)).toEqual({
        accountId: expect.stringMatching(/^acct_/) as string,
        mode: "test",
      });
      await page.getByText("1,000,000").first().waitFor();
      await expect(page.getByText("Test mode").first().isVisible()).resolves.toBe(true);
    });

    it("refuses a wrong password in the server's words, and lets the right one in", async () => {
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

    it("shows a page of an account to nobody who is not signed in, and goes there after signing in", async () => {
      const { page, chromium } = context();
      const wanted = new URL(page.url()).pathname.replace("overview", "billing");
      const stranger = await chromium.newPage();
      await stranger.goto(wanted);
      await stranger.getByRole("heading", { name: "Sign in" }).waitFor();
      await signIn(stranger, ADA);
      await stranger.getByRole("heading", { name: "Usage and billing" }).waitFor();
      expect(new URL(stranger.url()).pathname).toBe(wanted);
      await stranger.context().close();
    });

    it("keeps the session out of reach of scripts", async () => {
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
