/** Signing up, in and out. */
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Locator } from "playwright-core";
import decodeQR from "qr/decode.js";
import { describe, expect, it } from "vitest";
import { linkIn } from "../../../support/smtp-server.ts";
import { totp } from "../../../support/totp.ts";
import type { Context } from "../context.ts";
import { violationsOf } from "./every-page.ts";
import {
  modeOf,
  ADA,
  appears,
  completeSignUp,
  goTo,
  openMailedSignUp,
  openProfile,
  scopeOf,
  signIn,
} from "../user-actions.ts";

export function signingIn(context: Context): void {
  describe("signing in", () => {
    it("lets a user sign up by a mailed link, into their own account with test access", async () => {
      const { page, smtp } = context();
      await openMailedSignUp(page, smtp, ADA);
      await appears(page.getByLabel("Your name"));
      expect(page.url()).not.toContain("#");
      await completeSignUp(page, ADA);
      expect(scopeOf(page)).toEqual({
        accountId: expect.stringMatching(/^acct_/) as string,
        mode: "test",
      });
      await page.getByText("1,000,000").first().waitFor();
      await expect(modeOf(page, "Test").isChecked()).resolves.toBe(true);
      const steps = page.getByRole("region", { name: "First steps" });
      await steps.getByRole("link", { name: "playground" }).waitFor();
      await steps.getByRole("link", { name: "Create an API key" }).waitFor();
      await steps.getByRole("tab", { name: "Python" }).click();
      await steps.getByRole("region", { name: "Request in Python" }).waitFor();
      await steps.getByText("change its Idempotency-Key too").waitFor();
    });

    it("shows the server's message for a wrong password, and has a new one set by mail", async () => {
      const { page, smtp } = context();
      await page.getByRole("button", { name: ADA.email }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await appears(page.getByRole("heading", { name: "Sign in" }));
      await page.getByLabel("E-mail").fill("ada");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("Enter an e-mail address, such as").waitFor();
      await page.getByText("Fill in this field.").waitFor();
      expect(await page.evaluate("document.activeElement.name")).toBe("email");
      await signIn(page, { ...ADA, password: "difference engine" });
      const alert = page.getByRole("alert");
      await appears(alert);
      expect(await alert.innerText()).toMatch(/e-mail or the password is wrong/i);
      await page.getByRole("link", { name: "Forgotten your password?" }).click();
      await page.getByRole("heading", { name: "Set a new password" }).waitFor();
      await page.getByLabel("E-mail").fill(ADA.email);
      await page.getByRole("button", { name: "Send a link" }).click();
      await page.goto(linkIn(await smtp.next(ADA.email)).href);
      await page.getByRole("textbox", { name: "New password" }).fill(ADA.password);
      await page.getByRole("button", { name: "Set password" }).click();
      await page.getByRole("link", { name: "Sign in" }).click();
      await signIn(page, ADA);
      await appears(page.getByRole("heading", { name: "Overview" }));
    });

    it("asks for a code once an authenticator app is set up, until it is removed, also after the identity provider", async () => {
      const { page, provider } = context();
      await openProfile(page, ADA);
      const card = page.getByRole("region", { name: "Second factor" });
      await card.getByRole("textbox", { name: "Password" }).fill(ADA.password);
      await card.getByRole("button", { name: "Set up an app" }).click();
      const secret = await card.getByTestId("app-secret").innerText();
      const scanned = new URL(await scan(card.getByRole("img", { name: "QR code of the secret" })));
      expect([scanned.protocol, scanned.searchParams.get("secret")]).toEqual(["otpauth:", secret]);
      const [recoveryCode = ""] = (await card.getByTestId("recovery-codes").innerText()).split(
        "\n",
      );
      await card.getByLabel("Code of the app").fill(totp(secret));
      await card.getByRole("button", { name: "Turn on" }).click();
      await card.getByRole("button", { name: "Remove" }).waitFor();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await appears(page.getByRole("heading", { name: "Sign in" }));
      await signIn(page, ADA);
      await page.getByRole("button", { name: "Begin again" }).click();
      await appears(page.getByRole("heading", { name: "Sign in" }));
      await signIn(page, ADA);
      await page.getByLabel("Code of your authenticator app").waitFor();
      await page.reload();
      const next = totp(secret, Date.now() + 30_000);
      await page.getByLabel("Code of your authenticator app").fill(next);
      await page.getByRole("button", { name: "Sign in" }).click();
      await appears(page.getByRole("heading", { name: "Overview" }));

      await openProfile(page, ADA);
      provider.person = { sub: "ada", email: "ada@acme.com", name: ADA.name, email_verified: true };
      const linked = page.getByRole("region", { name: "Acme ID" });
      await linked.getByRole("textbox", { name: "Password" }).fill(ADA.password);
      await linked.getByRole("button", { name: "Link Acme ID" }).click();
      await linked.getByText("You can sign in with Acme ID.").waitFor();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByRole("button", { name: "Continue with Acme ID" }).click();
      await appears(page.getByRole("heading", { name: "Second factor" }));
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Use a recovery code" }).click();
      await page.getByLabel("Recovery code").fill(recoveryCode);
      await page.getByRole("button", { name: "Sign in" }).click();
      await appears(page.getByRole("heading", { name: "Overview" }));
      await openProfile(page, ADA);
      await linked.getByRole("textbox", { name: "Password" }).fill(ADA.password);
      await linked.getByRole("button", { name: "Unlink" }).click();
      await linked.getByText("Link your login at Acme ID").waitFor();

      await card.getByRole("textbox", { name: "Password" }).fill(ADA.password);
      await card.getByRole("button", { name: "Remove" }).click();
      await card.getByRole("button", { name: "Set up an app" }).waitFor();
      expect(await card.getByText("on", { exact: true }).count()).toBe(0);
      await goTo(page, "Overview");
    });

    it("signs in with a passkey alone, until it is removed", async () => {
      const { page, smtp } = context();
      const devTools = await page.context().newCDPSession(page);
      await devTools.send("WebAuthn.enable");
      await devTools.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
        },
      });
      await openProfile(page, ADA);
      const card = page.getByRole("region", { name: "Passkeys" });
      await card.getByLabel("Name of this device").fill("Laptop");
      await card.getByRole("textbox", { name: "Password" }).fill(ADA.password);
      await card.getByRole("button", { name: "Add a passkey" }).click();
      await card.getByRole("row", { name: "Laptop" }).waitFor();
      await expect.poll(() => smtp.received.at(-1)?.text).toContain("A passkey was added.");
      await card.getByLabel("Name of this device").fill("Twice");
      await card.getByRole("textbox", { name: "Password" }).fill(ADA.password);
      await card.getByRole("button", { name: "Add a passkey" }).click();
      await card.getByText("This device already has a passkey here.").waitFor();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByRole("button", { name: "Use a passkey" }).waitFor();
      await page.evaluate(
        "navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))",
      );
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await page.getByText("You stopped it, or it took too long.").waitFor();
      await page.reload();
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await appears(page.getByRole("heading", { name: "Overview" }));
      await openProfile(page, ADA);
      await card.getByRole("button", { name: "Remove Laptop" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Password" }).fill("not the password");
      await dialog.getByRole("button", { name: "Remove" }).click();
      await dialog.getByText("The current password is wrong.").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await dialog.getByRole("textbox", { name: "Password" }).fill(ADA.password);
      await dialog.getByRole("button", { name: "Remove" }).click();
      await card.getByRole("row", { name: "Laptop" }).waitFor({ state: "detached" });
      expect(await card.getByRole("row").count()).toBe(0);
      await goTo(page, "Overview");
      await devTools.detach();
    });

    it("sends a visitor of an account's page to sign-in first, to that page afterwards, and says why when it ends", async () => {
      const { page, chromium } = context();
      const wanted = new URL(page.url()).pathname.replace("overview", "billing");
      const visitor = await chromium.newPage();
      await visitor.goto(wanted);
      await visitor.getByRole("heading", { name: "Sign in" }).waitFor();
      await signIn(visitor, ADA);
      await visitor.getByRole("heading", { name: "Usage and billing" }).waitFor();
      expect(new URL(visitor.url()).pathname).toBe(wanted);
      await openProfile(page, ADA);
      const signOutOthers = page.getByRole("button", { name: "Sign out everywhere else" });
      await signOutOthers.click();
      await signOutOthers.waitFor({ state: "detached" });
      await visitor.getByText("It was signed out from another browser.").waitFor();
      await signIn(visitor, ADA);
      await visitor.getByRole("heading", { name: "Usage and billing", level: 1 }).waitFor();
      await goTo(page, "Overview");
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

/** The text of the QR code as a phone reads it. */
async function scan(code: Locator): Promise<string> {
  const image = await loadImage(await code.screenshot());
  const canvas = createCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  return decodeQR(canvas.getImageData(0, 0, image.width, image.height));
}
