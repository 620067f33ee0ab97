/** A browser as the dashboard's API sees it: it has its own cookies and sends from the dashboard's origin. */
import { beforeAll } from "vitest";
import type { components } from "#gen/openapi/dashboard.ts";
import type { OidcProvider } from "../../support/oidc-provider.ts";
import { secretsIn, type Smtp } from "../../support/smtp-server.ts";
import { totp } from "../../support/totp.ts";
import type { Harness } from "../harness.ts";

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

let signUps = 0;

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
    async signUp(
      email = `person-${++signUps}@example.com`,
      by: { invitation?: string | undefined; proof?: string } = {},
    ) {
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
  };
}

/** Goes to the identity provider and back; returns the URL at which the browser ends. */
export async function signInWithProvider(
  browser: Browser,
  path = "/auth/oidc",
  body?: object,
): Promise<string> {
  const begun = await browser.send<"Redirect">("POST", path, body);
  if (begun.status !== 200) throw new Error(`not begun: ${begun.text}`);
  const there = new URL(begun.body.url);
  const answer = await fetch(there, { redirect: "manual" });
  const back = new URL(answer.headers.get("location") ?? "");
  const callback = back.pathname.replace("/dashboard/api", "") + back.search;
  return (await browser.send("GET", callback)).headers.get("location") ?? "";
}

/** A browser that is signed in; `send` and `get` take a path of its account. */
export type Member = Pick<Browser, "send" | "get"> & {
  browser: Browser;
  account: string;
  userId: string;
};

function memberOf(browser: Browser, { user, accounts: [first] }: Schemas["Session"]): Member {
  const account = first?.id ?? "";
  const at = (path: string) => `/accounts/${account}${path}`;
  return {
    browser,
    account,
    userId: user?.id ?? "",
    send: (method, path, ...rest) => browser.send(method, at(path), ...rest),
    get: (path) => browser.get(at(path)),
  };
}

/** Somebody who has signed up. */
export async function newMember(harness: Pick<Harness, "url">, email?: string): Promise<Member> {
  const browser = newBrowser(harness);
  return memberOf(browser, await browser.signUp(email));
}

/** The same before the tests of a file. */
export function useMember(harness: Pick<Harness, "url">, email?: string): Member {
  const member = {} as Member;
  beforeAll(async () => void Object.assign(member, await newMember(harness, email)));
  return member;
}

/** The owner of an account that an operator has made for them. */
export async function newOwner(
  harness: Pick<Harness, "url" | "accounts">,
  email: string,
): Promise<Member> {
  const { account } = await harness.accounts.createAccount({ name: "Studio" });
  const user = { accountId: account?.id ?? "", email, name: "Owner", password: PASSWORD };
  await harness.accounts.createUser(user);
  const browser = newBrowser(harness);
  const { status, body, text } = await browser.signIn(email);
  if (status !== 200) throw new Error(`not signed in: ${text}`);
  return memberOf(browser, body);
}

export async function invite(by: Member, email: string, role = "developer") {
  const password = role === "owner" ? { current_password: PASSWORD } : {};
  const wanted = { email, role, ...password };
  const { status, body, text } = await by.send<"CreatedInvitation">("POST", "/invitations", wanted);
  if (status !== 201) throw new Error(`not invited: ${text}`);
  return { id: body.invitation.id, invitation: body.invitation, url: body.url, text };
}

/** Somebody who has joined by an invitation that is shown. */
export async function joined(
  harness: Pick<Harness, "url">,
  by: Member,
  email: string,
  role?: string,
): Promise<Member> {
  const browser = newBrowser(harness);
  const { url } = await invite(by, email, role);
  return memberOf(browser, await browser.signUp(email, { invitation: invitationToken(url) }));
}

export async function auditLog({ get }: Member, query = ""): Promise<Schemas["AuditEntry"][]> {
  return (await get<"AuditEntryList">(`/audit-log${query}`)).data;
}

/** Begins with a second factor; returns the secret of the app and how a first code is confirmed. */
export async function beginSecondFactor(browser: Browser) {
  const path = "/auth/second-factor";
  const { body } = await browser.send<"NewSecondFactor">("POST", path, { password: PASSWORD });
  const secret = new URL(body.uri).searchParams.get("secret") ?? "";
  const confirm = (code = totp(secret)) => browser.send("POST", `${path}/confirm`, { code });
  return { secret, confirm, recoveryCodes: body.recovery_codes };
}

/** Gives the user a passkey with this id. */
export const insertPasskey = (
  { owner }: Pick<Harness, "owner">,
  userId: string,
  id: string,
) => owner`
  insert into gateway.passkeys
    (id, user_id, name, public_key, credential_id, counter, device_type, backed_up, created_at)
  values (${id}, ${userId}, 'Phone', 'key', ${id}, 0, 'singleDevice', false, now())`;

function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(/; */);
  const [name = "", value = ""] = pair.split(/=(.*)/s);
  const isCleared = attributes.some((attribute) => attribute.toLowerCase() === "max-age=0");
  if (isCleared) cookies.delete(name);
  else cookies.set(name, value);
}

/** The token in an invitation's link. */
export function invitationToken(link = ""): string {
  const { pathname, search, hash } = new URL(link);
  if (pathname !== "/dashboard/invitations" || search !== "")
    throw new Error(`no such link: ${link}`);
  return new URLSearchParams(hash.slice(1)).get("token") ?? "";
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

/** Asks for a sign-up link; returns the token in the mail. */
export async function proofFor(browser: Browser, smtp: Smtp, email: string): Promise<string> {
  const { status } = await browser.send("POST", "/auth/sign-up/mail", { email });
  const secrets = secretsIn(await smtp.next(email));
  if (status !== 204 || secrets["email"] !== email) throw new Error("no link was sent");
  return secrets["token"] ?? "";
}

/** Somebody who has proved their address by a mailed link. */
export async function mailedMember(
  harness: Pick<Harness, "url">,
  smtp: Smtp,
  email: string,
): Promise<Member> {
  const browser = newBrowser(harness);
  const proof = await proofFor(browser, smtp, email);
  return memberOf(browser, await browser.signUp(email, { proof }));
}
