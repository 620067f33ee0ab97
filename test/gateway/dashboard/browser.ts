/** A browser as the dashboard's API sees it: it has its own cookies and sends from the dashboard's origin. */
import type { components } from "#gen/openapi/dashboard.ts";
import { forTests } from "../../support/for-tests.ts";
import type { OidcProvider } from "../../support/oidc-provider.ts";
import { secretsIn, type Smtp } from "../../support/smtp-server.ts";
import { totp } from "../../support/totp.ts";
import { useHarness, type Harness } from "../harness.ts";

export type Schemas = components["schemas"];

/** A schema of the document by its name, or another type. */
type Body<T> = T extends keyof Schemas ? Schemas[T] : T;

export type Answer<T> = { status: number; body: Body<T>; headers: Headers; text: string };

export type Browser = ReturnType<typeof newBrowser>;

/** The status and code of a refusal. */
export const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as Schemas["DashboardErrorResponse"]).error?.code,
];

export const PASSWORD = "correct horse battery";

let people = 0;

/** An address that nobody has signed up with. */
const newEmail = () => `person-${++people}@example.com`;

export function newBrowser({ url }: Pick<Harness, "url">) {
  const cookies = new Map<string, string>();

  /** Sends a request to /dashboard/api with the headers of the dashboard's own pages. */
  async function send<T = "DashboardErrorResponse">(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(`${url}/dashboard/api${path}`, {
      method,
      redirect: "manual",
      headers: {
        ...(cookie === "" ? {} : { cookie }),
        ...(method === "GET" ? {} : { origin: new URL(url).origin }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) storeCookie(cookies, line);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    const parsed = (isJson && text !== "" ? JSON.parse(text) : undefined) as Body<T>;
    return { status: response.status, body: parsed, headers: response.headers, text };
  }

  /** What GET of the path answers. */
  const get = async <T>(path: string) => (await send<T>("GET", path)).body;
  return {
    cookies,
    send,
    get,
    /** Signs up, by default with a new e-mail; returns the session. */
    async signUp(email = newEmail(), by: { invitation?: string | undefined; proof?: string } = {}) {
      const user = { name: "Person", email, password: PASSWORD, ...by };
      const { status, body, text } = await send<"Session">("POST", "/auth/sign-up", user);
      if (status !== 201) throw new Error(`not signed up: ${text}`);
      return body;
    },
    signIn: (email: string, password = PASSWORD) =>
      send<"Session">("POST", "/auth/sign-in", { email, password }),
    session: () => get<"Session">("/session"),
    /** Who is signed in. */
    user: async () => (await get<"Session">("/session")).user,
    /** Goes to the identity provider and back; returns the URL at which the browser ends. */
    async signInWithProvider(path = "/auth/oidc", asked?: object): Promise<string> {
      const { status, body, text } = await send<"Redirect">("POST", path, asked);
      if (status !== 200) throw new Error(`not begun: ${text}`);
      const answer = await fetch(body.url, { redirect: "manual" });
      const back = new URL(answer.headers.get("location") ?? "");
      const callback = back.pathname.replace("/dashboard/api", "") + back.search;
      return (await send("GET", callback)).headers.get("location") ?? "";
    },
    /** Begins with a second factor; returns the secret of the app and how a first code is confirmed. */
    async beginSecondFactor() {
      const path = "/auth/second-factor";
      const { body } = await send<"NewSecondFactor">("POST", path, { password: PASSWORD });
      const secret = new URL(body.uri).searchParams.get("secret") ?? "";
      const confirm = (code = totp(secret)) => send("POST", `${path}/confirm`, { code });
      return { secret, confirm, recoveryCodes: body.recovery_codes };
    },
    /** Asks for a sign-up link; returns the token in the mail. */
    async proofFor(smtp: Smtp, email: string): Promise<string> {
      const { status } = await send("POST", "/auth/sign-up/mail", { email });
      const secrets = secretsIn(await smtp.next(email));
      if (status !== 204 || secrets["email"] !== email) throw new Error("no link was sent");
      return secrets["token"] ?? "";
    },
  };
}

/** Somebody who is signed in; `send` and `get` take a path of their account. */
export type Member = ReturnType<typeof memberOf>;

function memberOf(browser: Browser, { user, accounts: [first] }: Schemas["Session"]) {
  const account = first?.id ?? "";
  const at = (path: string) => `/accounts/${account}${path}`;
  const send: Browser["send"] = (method, path, ...rest) => browser.send(method, at(path), ...rest);
  const get: Browser["get"] = (path) => browser.get(at(path));
  return {
    browser,
    account,
    userId: user?.id ?? "",
    email: user?.email ?? "",
    send,
    get,
    async invite(email: string, role = "developer") {
      const password = role === "owner" ? { current_password: PASSWORD } : {};
      const wanted = { email, role, ...password };
      const answer = await send<"CreatedInvitation">("POST", "/invitations", wanted);
      if (answer.status !== 201) throw new Error(`not invited: ${answer.text}`);
      const { invitation, url } = answer.body;
      return { id: invitation.id, invitation, token: tokenIn(url), text: answer.text };
    },
    auditLog: async (query = "") => (await get<"AuditEntryList">(`/audit-log${query}`)).data,
  };
}

/** The harness of a test file, and who uses its dashboard. */
export function useDashboard(options?: Parameters<typeof useHarness>[0]) {
  const harness = useHarness(options);
  const browser = () => newBrowser(harness);
  /** Somebody who has signed up. */
  async function newMember(...as: Parameters<Browser["signUp"]>): Promise<Member> {
    const own = browser();
    return memberOf(own, await own.signUp(...as));
  }
  return {
    harness,
    newBrowser: browser,
    newMember,
    /** The same before the tests of a file. */
    useMember: (email?: string) => forTests(() => newMember(email)),
    /** Somebody who has proved their address by a mailed link. */
    mailedMember: async (smtp: Smtp, email = newEmail()) =>
      newMember(email, { proof: await browser().proofFor(smtp, email) }),
    /** Somebody who has joined by an invitation that is shown. */
    joined: async (by: Member, email: string, role?: string) =>
      newMember(email, { invitation: (await by.invite(email, role)).token }),
    /** The owner of an account that an operator has made for them. */
    newOwner: async (email = newEmail()): Promise<Member> => {
      const { account } = await harness.accounts.createAccount({ name: "Studio" });
      const user = { accountId: account?.id ?? "", email, name: "Owner", password: PASSWORD };
      await harness.accounts.createUser(user);
      const own = browser();
      const { status, body, text } = await own.signIn(email);
      if (status !== 200) throw new Error(`not signed in: ${text}`);
      return memberOf(own, body);
    },
    /** Gives the user a passkey with this id. */
    insertPasskey: (userId: string, id: string) => harness.owner`
      insert into gateway.passkeys
        (id, user_id, name, public_key, credential_id, counter, device_type, backed_up, created_at)
      values (${id}, ${userId}, 'Phone', 'key', ${id}, 0, 'singleDevice', false, now())`,
  };
}

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(/; */);
  const [name = "", value = ""] = pair.split(/=(.*)/s);
  const isCleared = attributes.some((attribute) => attribute.toLowerCase() === "max-age=0");
  if (isCleared) cookies.delete(name);
  else cookies.set(name, value);
}

/** The token in an invitation's link; empty where the link was mailed. */
function tokenIn(link: string | undefined): string {
  if (link === undefined) return "";
  const [, token] = /\/dashboard\/invitations#token=([0-9a-z]{26})$/.exec(link) ?? [];
  if (token === undefined) throw new Error(`no such link: ${link}`);
  return token;
}

/** The settings by which the gateway sends its mails to the server. */
export const mailBy = ({ url }: Smtp) =>
  ({ kind: "smtp", url, from: "Media <media@example.com>" }) as const;

/** The settings of the identity provider. */
export const oidcOf = ({ discoveryUrl }: OidcProvider) => ({
  name: "Example login",
  discoveryUrl,
  clientId: "media",
  clientSecret: "a secret between the two",
});
