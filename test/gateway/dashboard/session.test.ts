/** The dashboard's sessions: sign-up, sign-in, guessing limits, passwords and sign-out. */
import { describe, expect, it } from "vitest";
import { insertTogether } from "../../support/waiting-sessions.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { PASSWORD, accountOf, newBrowser, type Schemas, codeOf } from "./browser.ts";
import { useHarness } from "../harness.ts";

const clock = manualClock("2026-11-21T12:00:00.000Z");
const harness = useHarness({ clock });

const SIGN_IN = "/auth/sign-in";

describe("a session", () => {
  it("begins at sign-up, with an account of test access, and shows who is signed in", async () => {
    const browser = newBrowser(harness);
    const before = await browser.send<Schemas["Session"]>("GET", "/session");
    expect(before.body).toEqual({
      object: "session",
      accounts: [],
      sign_up: "open",
      verifies_email: false,
      can_create_account: false,
    });
    const session = await browser.signUp("Ada@Example.com");
    expect(session.user).toMatchObject({
      name: "Person",
      email: "ada@example.com",
      has_password: true,
    });
    expect(session.accounts).toMatchObject([
      { role: "owner", production_granted: false, suspended: false },
    ]);
    const after = await browser.send<Schemas["Session"]>("GET", "/session");
    expect(after.body).toEqual({ ...session, expires_at: expect.any(String) as string });
  });

  it("is refused in the same way for a wrong e-mail and a wrong password", async () => {
    const browser = newBrowser(harness);
    await newBrowser(harness).signUp("wrong@example.com");
    for (const email of ["wrong@example.com", "nobody@example.com"]) {
      const { status, body } = await browser.send("POST", SIGN_IN, { email, password: "x" });
      expect(status).toBe(401);
      expect(body.error.code).toBe("wrong_credentials");
    }
    expect(browser.cookies.size).toBe(0);
    const taken = await browser.send("POST", "/auth/sign-up", {
      name: "Person",
      email: "wrong@example.com",
      password: PASSWORD,
    });
    expect(codeOf(taken)).toEqual([409, "email_taken"]);
  });

  it("begins for one of several sign-ups of an address at the same time; the others are told that it is taken", async () => {
    const user = { name: "Person", email: "twins@example.com", password: PASSWORD };
    const signUp = () => newBrowser(harness).send("POST", "/auth/sign-up", user);
    const answers = await insertTogether(harness.owner, "gateway.users", [signUp, signUp, signUp]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    const codes = answers.filter(({ status }) => status === 409).map(({ body }) => body.error.code);
    expect(new Set(codes)).toEqual(new Set(["email_taken"]));
  });

  it.each([
    "\uFF4Cookalike@example.com",
    "lookalike@example\uFF0Ecom",
    "loo\u212Aalike@example.com",
    "look..alike@example.com",
  ])("does not begin with an address that no login can have: %j", async (email) => {
    await newBrowser(harness).signUp();
    const user = { name: "Person", email, password: PASSWORD };
    const { status, body } = await newBrowser(harness).send("POST", "/auth/sign-up", user);
    expect([status, body.error.param]).toEqual([400, "email"]);
  });

  it("waits after ten wrong passwords, even with the right one, but not in a browser that was signed in", async () => {
    const browser = newBrowser(harness);
    const email = "guessed@example.com";
    const own = newBrowser(harness);
    await own.signUp(email);
    const attempt = (password: string, from = browser) =>
      from.send("POST", SIGN_IN, { email, password });
    for (let i = 0; i < 10; i++) expect((await attempt("guess")).status).toBe(401);
    const refused = await attempt(PASSWORD);
    expect(codeOf(refused)).toEqual([429, "too_many_attempts"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await attempt(PASSWORD, own)).status).toBe(200);
    clock.advance(2_000);
    expect((await attempt(PASSWORD)).status).toBe(200);
  });

  it("is a new one at every sign-in, which ends the browser's earlier one", async () => {
    const email = "fixed@example.com";
    const attacker = newBrowser(harness);
    await attacker.signUp("attacker@example.com");
    const planted = new Map(attacker.cookies);
    await newBrowser(harness).signUp(email);
    const victim = newBrowser(harness);
    for (const [name, value] of planted) victim.cookies.set(name, value);
    await victim.send("POST", SIGN_IN, { email, password: PASSWORD });
    expect([...victim.cookies.values()]).not.toEqual([...planted.values()]);
    const seen = await attacker.send<Schemas["Session"]>("GET", "/session");
    expect(seen.body.user).toBeUndefined();
    const made = newBrowser(harness);
    made.cookies.set("media.session_token", "a-session-that-nobody-began");
    const own = await made.send<Schemas["Session"]>("POST", SIGN_IN, { email, password: PASSWORD });
    expect(own.body.user?.email).toBe(email);
    expect(made.cookies.get("media.session_token")).not.toBe("a-session-that-nobody-began");
  });

  it("ends for good at sign-out, and all others end when the password changes", async () => {
    const email = "out@example.com";
    const [one, two] = [newBrowser(harness), newBrowser(harness)];
    const account = accountOf(await one.signUp(email));
    const kept = new Map(one.cookies);
    await two.send("POST", SIGN_IN, { email, password: PASSWORD });
    const wrong = await one.send("POST", "/auth/password", {
      current_password: "not it",
      new_password: "another password",
    });
    expect(codeOf(wrong)).toEqual([401, "wrong_credentials"]);
    const weak = { current_password: PASSWORD, new_password: "password12" };
    const refused = await one.send("POST", "/auth/password", weak);
    expect([refused.body.error.code, refused.body.error.param]).toEqual([
      "weak_password",
      "new_password",
    ]);
    const changed = await one.send("POST", "/auth/password", {
      current_password: PASSWORD,
      new_password: "another password",
    });
    expect(changed.status).toBe(204);
    expect((await two.send("GET", `/accounts/${account}`)).status).toBe(401);
    for (const _tab of ["first", "second"]) {
      const told = await two.send<Schemas["Session"]>("GET", "/session");
      expect([told.body.user, told.body.ended_because]).toEqual([undefined, "password_changed"]);
    }
    expect((await one.send("GET", `/accounts/${account}`)).status).toBe(200);
    for (const [name, value] of kept) two.cookies.set(name, value);
    expect((await two.send("GET", `/accounts/${account}`)).status).toBe(401);
    const last = new Map(one.cookies);
    expect((await one.send("POST", "/auth/sign-out")).status).toBe(204);
    for (const [name, value] of last) one.cookies.set(name, value);
    expect((await one.send("GET", `/accounts/${account}`)).body.error.code).toBe(
      "session_required",
    );
  });
});
