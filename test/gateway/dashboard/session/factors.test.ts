/** Second factors, passkeys, whose part in the browser is tested in Chromium, and a user's list of sessions. */
import { passkeys } from "../../../../services/gateway/dashboard/session/auth.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { totp } from "../../../support/totp.ts";
import { insertTogether } from "../../../support/waiting-sessions.ts";
import { codeOf, PASSWORD, useDashboard, type Browser } from "../browser.ts";

// The delays between attempts stand still; codes and sessions are of this time.
const clock = manualClock(new Date().toISOString());
const { harness, insertPasskey, newBrowser, newMember } = useDashboard({ clock });

const SECOND_FACTOR = "/auth/second-factor";
const WRONG_CODE = [401, "wrong_code"];

/** A browser that knows the password and is asked for the second factor. */
async function challenged(email: string, browser = newBrowser()) {
  const { body } = await browser.signIn(email);
  const complete = (kind: "app" | "recovery", code: string) =>
    browser.send("POST", "/auth/sign-in/second-factor", { kind, code });
  return { browser, body, complete };
}

/** A user who has begun with an authenticator app, and a code that it does not show. */
async function newUser() {
  const { browser, email } = await newMember();
  const begun = await browser.beginSecondFactor();
  const wrong = totp(begun.secret) === "000000" ? "000001" : "000000";
  return { browser, email, wrong, ...begun, next: () => totp(begun.secret, Date.now() + 30_000) };
}

describe("a second factor", () => {
  it("is asked for at sign-in, once a first code has proved that the app works", async () => {
    const { browser, email, wrong, next, confirm, secret } = await newUser();
    expect((await newBrowser().signIn(email)).body.user?.email).toBe(email);
    expect(codeOf(await confirm(wrong))).toEqual(WRONG_CODE);
    const first = totp(secret);
    expect((await confirm(first)).status).toBe(204);
    expect(await browser.user()).toMatchObject({ has_second_factor: true });

    const other = await challenged(email);
    expect(other.body).toMatchObject({ needs_second_factor: true, accounts: [] });
    expect(await other.browser.user()).toBeUndefined();
    expect(codeOf(await other.complete("app", wrong))).toEqual(WRONG_CODE);
    const code = next();
    expect((await other.complete("app", code)).status).toBe(200);
    expect((await other.browser.user())?.email).toBe(email);
    for (const used of [first, code]) {
      const thief = await challenged(email);
      expect(codeOf(await thief.complete("app", used))).toEqual([429, "too_many_attempts"]);
      expect(await thief.browser.user()).toBeUndefined();
    }
    const body = { kind: "app", code };
    const unasked = await newBrowser().send("POST", "/auth/sign-in/second-factor", body);
    expect(codeOf(unasked)).toEqual([401, "sign_in_again"]);
  });

  it("is replaced by a recovery code, once, and by none that was renewed", async () => {
    const { browser, email, confirm, recoveryCodes } = await newUser();
    await confirm();
    const recover = async (code = "") =>
      (await (await challenged(email)).complete("recovery", code)).status;
    const [first, second] = recoveryCodes;
    expect([await recover(first), await recover(first)]).toEqual([200, 401]);
    const path = `${SECOND_FACTOR}/recovery-codes`;
    const { body } = await browser.send<"RecoveryCodes">("POST", path, { password: PASSWORD });
    expect([await recover(second), await recover(body.recovery_codes[0])]).toEqual([401, 200]);
  });

  it("cannot be locked by a stranger who knows the password: the owner's own browser signs in", async () => {
    const { browser, email, wrong, next, confirm } = await newUser();
    await confirm();
    const statuses: number[] = [];
    for (let challenge = 0; challenge < 3; challenge++) {
      const { complete } = await challenged(email);
      for (let guess = 0; guess < 5; guess++) statuses.push((await complete("app", wrong)).status);
    }
    expect(statuses).toEqual([...Array<number>(11).fill(401), ...Array<number>(4).fill(429)]);
    const own = await challenged(email, browser);
    expect((await own.complete("app", next())).status).toBe(200);
  });

  it("can be begun in two tabs at the same time, and the app of the last one works", async () => {
    const { browser } = await newMember();
    const begin = () => browser.beginSecondFactor();
    const begun = await insertTogether(harness.owner, "gateway.second_factors", [begin, begin]);
    const confirmed = [];
    for (const { confirm } of begun) confirmed.push((await confirm()).status);
    expect(confirmed.toSorted((a, b) => a - b)).toEqual([204, 401]);
  });

  it("is not confirmed by guessing: first codes wait after ten wrong ones", async () => {
    const { wrong, confirm } = await newUser();
    const statuses: number[] = [];
    for (let code = 0; code < 12; code++) statuses.push((await confirm(wrong)).status);
    expect(statuses).toEqual([...Array<number>(11).fill(401), 429]);
    clock.advance(15 * 60_000);
    expect((await confirm()).status).toBe(204);
  });

  it("is gone when it is removed, and only then replaced", async () => {
    const { browser, email, confirm } = await newUser();
    await confirm();
    const change = (path: string) =>
      browser.send("POST", `${SECOND_FACTOR}${path}`, { password: PASSWORD });
    expect(codeOf(await change(""))).toEqual([409, "second_factor_exists"]);
    expect((await change("/remove")).status).toBe(204);
    expect((await newBrowser().signIn(email)).body.user?.email).toBe(email);
  });

  it("is stored so that its row alone gives no codes", async () => {
    const { secret, recoveryCodes } = await newUser();
    const rows = JSON.stringify(await harness.owner`select * from gateway.second_factors`);
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(recoveryCodes[0]);
  });
});

describe("a passkey", () => {
  it("has to ask for finger, face or PIN", async () => {
    const { browser } = await newMember();
    const path = "/auth/passkeys";
    const password = PASSWORD;
    const begun = await browser.send<"PasskeyOptions">("POST", `${path}/options`, { password });
    expect(begun.body.options).toMatchObject({
      rp: { id: "localhost" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const made = { name: "Laptop", response: { id: "made-up" } };
    expect((await browser.send("POST", path, made)).status).not.toBe(204);
    expect(await browser.get(path)).toMatchObject({ data: [] });
  });

  it("that nobody has signs nobody in, and is asked for by an address that waits after two hundred times", async () => {
    const browser = newBrowser();
    const path = "/auth/sign-in/passkey";
    const begin = () => browser.send<"PasskeyOptions">("POST", `${path}/options`);
    await harness.owner`delete from gateway.sign_in_attempts`;
    expect((await begin()).body.options).toMatchObject({ userVerification: "required" });
    const made = { response: { id: "made-up" } };
    expect(codeOf(await browser.send("POST", path, made))).toEqual([401, "wrong_passkey"]);
    await harness.owner`update gateway.sign_in_attempts set next_at = now() + interval '1 hour'`;
    expect((await begin()).status).toBe(429);
    await harness.owner`delete from gateway.sign_in_attempts`;
  });

  it("that did not ask for finger, face or PIN signs nobody in", async () => {
    const { options } = passkeys("https://media.example");
    const verified = async (userVerified: boolean) => {
      const verification = { authenticationInfo: { userVerified } };
      await options?.authentication?.afterVerification?.({ verification } as never);
    };
    await expect(verified(false)).rejects.toMatchObject({ status: "UNAUTHORIZED" });
    await expect(verified(true)).resolves.toBeUndefined();
  });

  it("is removed by its user only", async () => {
    const { browser: owner, userId } = await newMember();
    const { browser: stranger } = await newMember();
    const id = "2zjrwfavgwd8tj2ht7shw0cw42";
    await insertPasskey(userId, id);
    const remove = (browser: Browser) =>
      browser.send("POST", `/auth/passkeys/${id}/remove`, { password: PASSWORD });
    expect(codeOf(await remove(stranger))).toEqual([404, "passkey_not_found"]);
    expect(await owner.get("/auth/passkeys")).toMatchObject({ data: [{ id, name: "Phone" }] });
    expect((await remove(owner)).status).toBe(204);
  });
});

describe("sessions", () => {
  it("are listed with the present one marked, and each can be ended", async () => {
    const { browser: one, email } = await newMember();
    const browsers = [one, newBrowser(), newBrowser()];
    for (const other of browsers.slice(1)) await other.signIn(email);
    const { data } = await one.get<"UserSessionList">("/auth/sessions");
    expect(data).toHaveLength(3);
    const [current] = data.filter(({ is_current }) => is_current);
    const days = Date.parse(current?.expires_at ?? "") - Date.parse(current?.created_at ?? "");
    expect(Math.round(days / 86_400_000)).toBe(30);
    const { browser: stranger } = await newMember();
    const path = `/auth/sessions/${data.find((session) => !session.is_current)?.id}`;
    expect(codeOf(await stranger.send("DELETE", path))).toEqual([404, "session_not_found"]);
    expect((await one.send("DELETE", path)).status).toBe(204);
    const signedIn = async () =>
      (await Promise.all(browsers.map((one) => one.user()))).map(Boolean);
    expect((await signedIn()).filter(Boolean)).toHaveLength(2);
    expect((await one.send("POST", "/auth/sessions/end-others")).status).toBe(204);
    expect(await signedIn()).toEqual([true, false, false]);
  });

  it("end 30 days after the sign-in, however much they are used", async () => {
    const { browser, userId } = await newMember();
    const ends = () =>
      harness.owner`select expires_at from gateway.sessions where user_id = ${userId}`;
    await harness.owner`
      update gateway.sessions set created_at = created_at - interval '29 days',
        updated_at = updated_at - interval '29 days', expires_at = expires_at - interval '29 days'
      where user_id = ${userId}`;
    const before = await ends();
    expect(await browser.user()).toBeDefined();
    expect(await ends()).toEqual(before);
  });
});
