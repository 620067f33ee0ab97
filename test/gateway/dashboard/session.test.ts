/** The dashboard's sessions: sign-up, sign-in, guessing limits, passwords and sign-out. */
import { requireStrongPassword } from "../../../services/gateway/dashboard/sign-in/password.ts";
import { insertTogether } from "../../support/waiting-sessions.ts";
import { MOVED_TIME } from "../harness.ts";
import { codeOf, PASSWORD, useDashboard, type Browser } from "./browser.ts";

const { clock } = MOVED_TIME;
const { harness, newBrowser, newMember } = useDashboard(MOVED_TIME);

const signUp = (email: string) =>
  newBrowser().send("POST", "/auth/sign-up", { name: "Person", email, password: PASSWORD });
const setCookies = (browser: Browser, cookies: Map<string, string>) => {
  for (const [name, value] of cookies) browser.cookies.set(name, value);
};

describe("a session", () => {
  it("begins at sign-up, with an account of test access, and shows who is signed in", async () => {
    const browser = newBrowser();
    expect(await browser.session()).toEqual({
      object: "session",
      accounts: [],
      sign_up: "open",
      verifies_email: false,
      can_create_account: false,
    });
    const session = await browser.signUp("Ada@Example.com");
    const user = { name: "Person", email: "ada@example.com", has_password: true };
    const account = { role: "owner", production_granted: false, suspended: false };
    expect(session).toMatchObject({ user, accounts: [account] });
    expect(await browser.session()).toEqual({ ...session, expires_at: expect.any(String) });
  });

  it("is refused in the same way for a wrong e-mail and a wrong password", async () => {
    const browser = newBrowser();
    await newMember("wrong@example.com");
    for (const email of ["wrong@example.com", "nobody@example.com"])
      expect(codeOf(await browser.signIn(email, "x"))).toEqual([401, "wrong_credentials"]);
    expect(browser.cookies.size).toBe(0);
    expect(codeOf(await signUp("wrong@example.com"))).toEqual([409, "email_taken"]);
  });

  it("begins for one of several sign-ups of an address at the same time; the others are told that it is taken", async () => {
    const one = () => signUp("twins@example.com");
    const answers = await insertTogether(harness.owner, "gateway.users", [one, one, one]);
    const refused = answers.filter(({ status }) => status !== 201).map(codeOf);
    const taken = [409, "email_taken"];
    expect(refused).toEqual([taken, taken]);
  });

  it.each([
    "\uFF4Cookalike@example.com",
    "lookalike@example\uFF0Ecom",
    "loo\u212Aalike@example.com",
    "look..alike@example.com",
  ])("does not begin with an address that no login can have: %j", async (email) => {
    const { status, body } = await signUp(email);
    expect([status, body.error.param]).toEqual([400, "email"]);
  });

  it("waits after ten wrong passwords, even with the right one, but not in a browser that was signed in", async () => {
    const { browser: own, email } = await newMember();
    const browser = newBrowser();
    for (let i = 0; i < 10; i++) expect((await browser.signIn(email, "guess")).status).toBe(401);
    const refused = await browser.signIn(email);
    expect(codeOf(refused)).toEqual([429, "too_many_attempts"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await own.signIn(email)).status).toBe(200);
    clock.advance(2_000);
    expect((await browser.signIn(email)).status).toBe(200);
  });

  it("is a new one at every sign-in, which ends the browser's earlier one", async () => {
    const { browser: attacker } = await newMember();
    const planted = new Map(attacker.cookies);
    const { email } = await newMember();
    const victim = newBrowser();
    setCookies(victim, planted);
    await victim.signIn(email);
    expect([...victim.cookies.values()]).not.toEqual([...planted.values()]);
    expect(await attacker.user()).toBeUndefined();
    const made = newBrowser();
    const unknown = "a-session-that-nobody-began";
    made.cookies.set("media.session_token", unknown);
    expect((await made.signIn(email)).body.user?.email).toBe(email);
    expect(made.cookies.get("media.session_token")).not.toBe(unknown);
  });

  it("ends for good at sign-out, and all others end when the password changes", async () => {
    const { browser: one, account, email } = await newMember();
    const two = newBrowser();
    const statusOf = async (browser: Browser) =>
      (await browser.send("GET", `/accounts/${account}`)).status;
    const kept = new Map(one.cookies);
    await two.signIn(email);
    const change = (new_password: string, current_password = PASSWORD) =>
      one.send("POST", "/auth/password", { current_password, new_password });
    // An attempt is counted, whatever the new password is.
    const wrong = await change("password12", "wrong");
    expect(codeOf(wrong)).toEqual([401, "wrong_credentials"]);
    const weak = { code: "weak_password", param: "new_password" };
    expect((await change("password12")).body.error).toMatchObject(weak);
    expect((await change("another password")).status).toBe(204);
    expect(await statusOf(two)).toBe(401);
    for (const _tab of ["first", "second"]) {
      const { user, ended_because } = await two.session();
      expect([user, ended_because]).toEqual([undefined, "password_changed"]);
    }
    expect(await statusOf(one)).toBe(200);
    setCookies(two, kept);
    expect(await statusOf(two)).toBe(401);
    const last = new Map(one.cookies);
    expect((await one.send("POST", "/auth/sign-out")).status).toBe(204);
    setCookies(one, last);
    expect(await statusOf(one)).toBe(401);
  });
});

describe("a new password", () => {
  const known = ["ada.lovelace@example.com", "Ada Lovelace"];
  const check = (password: string) =>
    requireStrongPassword(password, { param: "new_password", known });

  it.each(["P4ssword12", "qwertyuiop", "a".repeat(128), "ada.lovelace@example.com"])(
    "is refused, naming its field, when it is guessed at once: %s",
    async (password) => {
      const refused = { code: "weak_password", options: { param: "new_password" } };
      await expect(check(password)).rejects.toMatchObject(refused);
    },
  );

  it.each(["correct horse battery", "xk2j9fq0zz", "wären da nicht 3 Äpfel"])(
    "is accepted when it takes more than a million guesses: %s",
    (password) => expect(check(password)).resolves.toBeUndefined(),
  );
});
