/** Signing in with a second factor, and a user's list of sessions. */
import { describe, expect, it } from "vitest";
import { insertTogether } from "../../../support/waiting-sessions.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { totp } from "../../../support/totp.ts";
import { PASSWORD, newBrowser, type Browser, type Schemas, codeOf } from "../browser.ts";
import { useHarness } from "../../harness.ts";

// The delays between attempts stand still; codes and sessions are of this time.
const clock = manualClock(new Date().toISOString());
const harness = useHarness({ clock });

const SECOND_FACTOR = "/auth/second-factor";

async function userOf(browser: Browser) {
  return (await browser.send<Schemas["Session"]>("GET", "/session")).body.user;
}

const signIn = (browser: Browser, email: string) =>
  browser.send<Schemas["Session"]>("POST", "/auth/sign-in", { email, password: PASSWORD });

const complete = (browser: Browser, kind: "app" | "recovery", code: string) =>
  browser.send("POST", "/auth/sign-in/second-factor", { kind, code });

/** A user with an authenticator app. */
async function newUser(email: string) {
  const browser = newBrowser(harness);
  await browser.signUp(email);
  const body = { password: PASSWORD };
  const begun = await browser.send<Schemas["NewSecondFactor"]>("POST", SECOND_FACTOR, body);
  const secret = new URL(begun.body.uri).searchParams.get("secret") ?? "";
  const confirm = (code: string) => browser.send("POST", `${SECOND_FACTOR}/confirm`, { code });
  return { browser, secret, confirm, recoveryCodes: begun.body.recovery_codes };
}

describe("a second factor", () => {
  it("is asked for at sign-in, once a first code has proved that the app works", async () => {
    const email = "careful@example.com";
    const { browser, secret, confirm } = await newUser(email);
    expect((await signIn(newBrowser(harness), email)).body.user?.email).toBe(email);
    const wrong = totp(secret) === "000000" ? "000001" : "000000";
    expect(codeOf(await confirm(wrong))).toEqual([401, "wrong_code"]);
    expect((await confirm(totp(secret))).status).toBe(204);
    expect(await userOf(browser)).toMatchObject({ has_second_factor: true });

    const other = newBrowser(harness);
    const begun = await signIn(other, email);
    expect(begun.body).toMatchObject({ needs_second_factor: true, accounts: [] });
    expect(await userOf(other)).toBeUndefined();
    expect(codeOf(await complete(other, "app", wrong))).toEqual([401, "wrong_code"]);
    const next = totp(secret, Date.now() + 30_000);
    expect((await complete(other, "app", next)).status).toBe(200);
    expect((await userOf(other))?.email).toBe(email);
    const thief = newBrowser(harness);
    await signIn(thief, email);
    expect(codeOf(await complete(thief, "app", next))).toEqual([429, "too_many_attempts"]);
    expect(await userOf(thief)).toBeUndefined();
    expect(codeOf(await complete(newBrowser(harness), "app", totp(secret)))).toEqual([
      401,
      "sign_in_again",
    ]);
  });

  it("is replaced by a recovery code, once, and by none that was renewed", async () => {
    const email = "phoneless@example.com";
    const { browser, secret, confirm, recoveryCodes } = await newUser(email);
    await confirm(totp(secret));
    const [first = "", second = ""] = recoveryCodes;
    const recover = async (code: string) => {
      const other = newBrowser(harness);
      await signIn(other, email);
      return (await complete(other, "recovery", code)).status;
    };
    expect(await recover(first)).toBe(200);
    expect(await recover(first)).toBe(401);
    const renewed = await browser.send<Schemas["RecoveryCodes"]>(
      "POST",
      `${SECOND_FACTOR}/recovery-codes`,
      { password: PASSWORD },
    );
    expect(await recover(second)).toBe(401);
    expect(await recover(renewed.body.recovery_codes[0] ?? "")).toBe(200);
  });

  it("cannot be locked by a stranger who knows the password: the owner's own browser signs in", async () => {
    const email = "besieged@example.com";
    const { browser: own, secret, confirm } = await newUser(email);
    await confirm(totp(secret));
    const wrong = totp(secret) === "000000" ? "000001" : "000000";
    const statuses: number[] = [];
    for (let challenge = 0; challenge < 3; challenge++) {
      const stranger = newBrowser(harness);
      await signIn(stranger, email);
      for (let guess = 0; guess < 5; guess++) {
        statuses.push((await complete(stranger, "app", wrong)).status);
      }
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(11);
    expect(statuses.slice(11)).toEqual([429, 429, 429, 429]);
    await signIn(own, email);
    expect((await complete(own, "app", totp(secret, Date.now() + 30_000))).status).toBe(200);
  });

  it("can be begun in two tabs at the same time, and the app of the last one works", async () => {
    const browser = newBrowser(harness);
    await browser.signUp();
    const begin = () =>
      browser.send<Schemas["NewSecondFactor"]>("POST", SECOND_FACTOR, { password: PASSWORD });
    const begun = await insertTogether(harness.owner, "gateway.second_factors", [begin, begin]);
    expect(begun.map(({ status }) => status)).toEqual([200, 200]);
    const confirmed = [];
    for (const { body } of begun) {
      const code = totp(new URL(body.uri).searchParams.get("secret") ?? "");
      confirmed.push((await browser.send("POST", `${SECOND_FACTOR}/confirm`, { code })).status);
    }
    expect(confirmed.toSorted((a, b) => a - b)).toEqual([204, 401]);
  });

  it("is not confirmed by guessing: first codes wait after ten wrong ones", async () => {
    const { secret, confirm } = await newUser("counted@example.com");
    const wrong = totp(secret) === "000000" ? "000001" : "000000";
    const statuses: number[] = [];
    for (let code = 0; code < 12; code++) statuses.push((await confirm(wrong)).status);
    expect(statuses).toEqual([...Array<number>(11).fill(401), 429]);
    clock.advance(15 * 60_000);
    expect((await confirm(totp(secret))).status).toBe(204);
  });

  it("is changed only with the password, and is gone when it is removed", async () => {
    const email = "fickle@example.com";
    const { browser, secret, confirm } = await newUser(email);
    await confirm(totp(secret));
    for (const path of ["", "/remove", "/recovery-codes"]) {
      const refused = await browser.send("POST", `${SECOND_FACTOR}${path}`, { password: "guess" });
      expect(codeOf(refused)).toEqual([401, "wrong_credentials"]);
    }
    const body = { password: PASSWORD };
    const again = await browser.send("POST", SECOND_FACTOR, body);
    expect(codeOf(again)).toEqual([409, "second_factor_exists"]);
    expect((await browser.send("POST", `${SECOND_FACTOR}/remove`, body)).status).toBe(204);
    expect((await signIn(newBrowser(harness), email)).body.user?.email).toBe(email);
  });

  it("is stored so that its row alone gives no codes", async () => {
    const { secret, recoveryCodes } = await newUser("stored@example.com");
    const rows = JSON.stringify(await harness.owner`select * from gateway.second_factors`);
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(recoveryCodes[0]);
  });
});

describe("sessions", () => {
  it("are listed with the present one marked, and each can be ended", async () => {
    const email = "everywhere@example.com";
    const browsers = [newBrowser(harness), newBrowser(harness), newBrowser(harness)] as const;
    const [one, two, three] = browsers;
    await one.signUp(email);
    for (const other of [two, three]) await signIn(other, email);
    const list = async () =>
      (await one.send<Schemas["UserSessionList"]>("GET", "/auth/sessions")).body.data;
    const sessions = await list();
    expect(sessions).toHaveLength(3);
    const [current] = sessions.filter(({ is_current }) => is_current);
    const days = Date.parse(current?.expires_at ?? "") - Date.parse(current?.created_at ?? "");
    expect(Math.round(days / 86_400_000)).toBe(30);
    const stranger = newBrowser(harness);
    await stranger.signUp("stranger@example.com");
    const path = `/auth/sessions/${sessions.find((session) => !session.is_current)?.id}`;
    expect(codeOf(await stranger.send("DELETE", path))).toEqual([404, "session_not_found"]);
    expect((await one.send("DELETE", path)).status).toBe(204);
    const signedIn = async () => (await Promise.all(browsers.map(userOf))).map(Boolean);
    expect((await signedIn()).filter(Boolean)).toHaveLength(2);
    expect((await one.send("POST", "/auth/sessions/end-others")).status).toBe(204);
    expect(await signedIn()).toEqual([true, false, false]);
  });

  it("end 30 days after the sign-in, however much they are used", async () => {
    const browser = newBrowser(harness);
    await browser.signUp("busy@example.com");
    const ends = () => harness.owner`
      select expires_at from gateway.sessions s join gateway.users u on u.id = s.user_id
      where u.email = 'busy@example.com'`;
    await harness.owner`
      update gateway.sessions set created_at = created_at - interval '29 days',
        updated_at = updated_at - interval '29 days', expires_at = expires_at - interval '29 days'
      where user_id = (select id from gateway.users where email = 'busy@example.com')`;
    const before = await ends();
    expect(await userOf(browser)).toBeDefined();
    expect(await ends()).toEqual(before);
  });
});
