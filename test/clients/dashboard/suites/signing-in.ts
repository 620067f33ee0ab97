/** Signing up, in and out: what a browser does with links of mails, codes, authenticators and cookies. */
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Locator, Page } from "playwright-core";
import decodeQR from "qr/decode.js";
import { pollMs } from "../../../../clients/dashboard/src/data/refetch.ts";
import { linkIn } from "../../../support/smtp-server.ts";
import { totp } from "../../../support/totp.ts";
import { shared } from "../context.ts";
import {
  appears,
  completeSignUp,
  goTo,
  openProfile,
  scopeOf,
  signIn,
  signInBefore,
  type User,
} from "../user-actions.ts";
import { violationsOf } from "../violations.ts";

describe("signing in", () => {
  let page: Page;
  const overview = () => appears(page.getByRole("heading", { name: "Overview", level: 1 }));
  const signOut = async () => {
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await appears(page.getByRole("heading", { name: "Sign in" }));
  };
  const openedBy = async (name: string, path: string): Promise<User> => {
    const user = await shared.newUser(name);
    await signInBefore(page, shared.service.url, user);
    await page.goto(path);
    await appears(page.getByRole("heading", { level: 1 }));
    return user;
  };

  beforeAll(() => void (page = shared.visitor));
  beforeEach(() => page.context().clearCookies());

  it("lets a user sign up by a mailed link, into their own account, with no cookie that scripts can read", async () => {
    const user = { name: "Mary", email: "mary@example.com", password: "celestial mechanism" };
    await page.goto("/dashboard/sign-up");
    await page.getByLabel("E-mail").fill(user.email);
    await page.getByRole("button", { name: "Send a link to sign up" }).click();
    await page.goto(linkIn(await shared.smtp.next(user.email)).href);
    await appears(page.getByLabel("Your name"));
    expect(page.url()).not.toContain("#");
    await completeSignUp(page, user);
    expect(scopeOf(page)).toEqual({
      accountId: expect.stringMatching(/^acct_/) as string,
      mode: "test",
    });
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByRole("link", { name: "Create an API key" }).waitFor();
    const cookies = await page.context().cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toContainEqual([
      true,
      "Lax",
    ]);
    expect(cookies.every(({ httpOnly }) => httpOnly)).toBe(true);
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  it("says what is wrong with the fields and the password, and has a new one set by mail", async () => {
    const user = await shared.newUser("Emmy");
    await page.goto("/dashboard/sign-in");
    await page.getByLabel("E-mail").fill("emmy");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText(/include an '@'/).waitFor();
    await page.getByText(/fill out this field/).waitFor();
    expect(await page.evaluate("document.activeElement.name")).toBe("email");
    await signIn(page, { ...user, password: "difference engine" });
    await page.getByRole("alert").getByText("e-mail or the password is wrong").waitFor();
    await page.getByRole("link", { name: "Forgotten your password?" }).click();
    // The field of the page before has the same name.
    await page.getByRole("button", { name: "Send a link" }).waitFor();
    await page.getByLabel("E-mail").fill(user.email);
    await page.getByRole("button", { name: "Send a link" }).click();
    await page.goto(linkIn(await shared.smtp.next(user.email)).href);
    const password = "a noetherian ring of keys";
    await page.getByRole("textbox", { name: "New password" }).fill(password);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("Your password is set.").waitFor();
  });

  it("asks for a code once an app has scanned the QR code, also after the identity provider, until it is removed", async () => {
    const user = await openedBy("Sofia", "/dashboard/profile");
    const card = page.getByRole("region", { name: "Second factor" });
    await card.getByRole("button", { name: "Set up an app" }).click();
    await card.getByText("Enter your password first").waitFor();
    const password = page.getByRole("textbox", { name: "Your password" });
    await password.fill(user.password);
    await card.getByRole("button", { name: "Set up an app" }).click();
    const secret = await card.getByTestId("app-secret").innerText();
    const scanned = new URL(await scan(card.getByRole("img", { name: "QR code of the secret" })));
    expect([scanned.protocol, scanned.searchParams.get("secret")]).toEqual(["otpauth:", secret]);
    const codes = (await card.getByTestId("recovery-codes").innerText()).split("\n");
    await card.getByLabel("Code of the app").fill(totp(secret));
    await card.getByRole("button", { name: "Turn on" }).click();
    await card.getByRole("button", { name: "Remove" }).waitFor();
    const { provider } = shared;
    provider.person = { sub: "s", email: "s@acme.com", name: user.name, email_verified: true };
    const linked = page.getByRole("region", { name: "Acme ID" });
    await linked.getByRole("button", { name: "Link Acme ID" }).click();
    await linked.getByText("You can sign in with Acme ID.").waitFor();
    await signOut();
    await page.getByRole("button", { name: "Continue with Acme ID" }).click();
    await appears(page.getByRole("heading", { name: "Second factor" }));
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(codes[0] ?? "");
    await page.getByRole("button", { name: "Sign in" }).click();
    await overview();
    await openProfile(page, user);
    await password.fill(user.password);
    await card.getByRole("button", { name: "Remove" }).click();
    await card.getByRole("button", { name: "Set up an app" }).waitFor();
  });

  it("keeps nothing of a user who signs out in another tab", async () => {
    const user = await openedBy("Rosa", "/dashboard");
    const other = await page.context().newPage();
    await other.goto(page.url());
    await goTo(other, "Playground");
    await other.getByRole("textbox", { name: "Prompt" }).fill("a secret cat");
    const kept = () => other.evaluate("JSON.stringify({ ...localStorage })");
    await expect.poll(kept).toContain("a secret cat");
    await other.evaluate("globalThis.isOld = true");
    await openProfile(page, user);
    await signOut();
    await expect.poll(() => other.evaluate("globalThis.isOld")).toBeUndefined();
    await appears(other.getByRole("heading", { name: "Sign in" }));
    expect(await kept()).not.toContain("a secret cat");
    await other.close();
  });

  it("signs in with a passkey alone, until it is removed", async () => {
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
    const user = await openedBy("Hedy", "/dashboard/profile");
    const card = page.getByRole("region", { name: "Passkeys" });
    await card.getByLabel("Name of this device").fill("Laptop");
    const password = page.getByRole("textbox", { name: "Your password" });
    await password.fill(user.password);
    await card.getByRole("button", { name: "Add a passkey" }).click();
    await card.getByRole("row", { name: "Laptop" }).waitFor();
    await signOut();
    await page.evaluate(
      "navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))",
    );
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByText("You stopped it, or it took too long.").waitFor();
    await page.evaluate("delete navigator.credentials.get");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await overview();
    await openProfile(page, user);
    await password.fill(user.password);
    await card.getByRole("button", { name: "Remove Laptop" }).click();
    await expect.poll(() => card.getByRole("row").count()).toBe(0);
    await page.locator("section:focus", { hasText: "Passkeys" }).waitFor();
    await devTools.detach();
  });

  it("comes before a page of an account, leads to that page, and says why when it has ended", async () => {
    const user = await openedBy("Katherine", "/dashboard");
    const other = await shared.chromium.newPage();
    await other.clock.install();
    const model = other.getByRole("combobox", { name: "Model" });
    const leadsOn = () => expect.poll(() => model.inputValue()).toContain("gamma-image-3.0-pro");
    await other.goto("/dashboard?model=gamma-image-3.0-pro");
    await signIn(other, user);
    await leadsOn();
    await openProfile(page, user);
    const signOutOthers = page.getByRole("button", { name: "Sign out everywhere else" });
    await signOutOthers.click();
    await signOutOthers.waitFor({ state: "detached" });
    await other.clock.fastForward(pollMs(false));
    await other.getByText("It was signed out from another browser.").waitFor();
    await signIn(other, user);
    await leadsOn();
    await other.context().close();
  });
});

/** The text of the QR code as a phone reads it. */
async function scan(code: Locator): Promise<string> {
  const image = await loadImage(await code.screenshot());
  const canvas = createCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  return decodeQR(canvas.getImageData(0, 0, image.width, image.height));
}
