/** A browser as the dashboard's API sees it: it has its own cookies and sends from the dashboard's origin. */
import { beforeAll } from "vitest";
import type { components } from "#gen/openapi/dashboard.ts";
import type { Harness } from "../harness.ts";

export type Schemas = components["schemas"];

export type Answer<T> = { status: number; body: T; headers: Headers; text: string };

export type Browser = {
  cookies: Map<string, string>;
  /** Sends a request to /dashboard/api with the headers of the dashboard's own pages. */
  send: <T = Schemas["DashboardErrorResponse"]>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer<T>>;
  /** Signs up, by default with a new e-mail; returns the session. */
  signUp: (email?: string, invitation?: string) => Promise<Schemas["Session"]>;
};

/** The status and code of a refusal. */
export const codeOf = ({
  status,
  body,
}: Pick<Answer<Schemas["DashboardErrorResponse"]>, "status" | "body">) => [status, body.error.code];

export const PASSWORD = "correct horse battery";

let signUps = 0;

export function newBrowser({ url }: Pick<Harness, "url">): Browser {
  const cookies = new Map<string, string>();
  const browser: Browser = {
    cookies,
    async send<T>(
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ) {
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
      const parsed = (isJson && text !== "" ? JSON.parse(text) : undefined) as T;
      return { status: response.status, body: parsed, headers: response.headers, text };
    },
    async signUp(email = `person-${++signUps}@example.com`, invitation) {
      const user = { name: "Person", email, password: PASSWORD };
      const { status, body, text } = await browser.send<Schemas["Session"]>(
        "POST",
        "/auth/sign-up",
        invitation === undefined ? user : { ...user, invitation },
      );
      if (status !== 201) throw new Error(`not signed up: ${text}`);
      return body;
    },
  };
  return browser;
}

/** Goes to the identity provider and back; returns the URL at which the browser ends. */
export async function signInWithProvider(
  browser: Browser,
  path = "/auth/oidc",
  body?: object,
): Promise<string> {
  const begun = await browser.send<Schemas["Redirect"]>("POST", path, body);
  if (begun.status !== 200) throw new Error(`not begun: ${begun.text}`);
  const there = new URL(begun.body.url);
  const answer = await fetch(there, { redirect: "manual" });
  const back = new URL(answer.headers.get("location") ?? "");
  const callback = back.pathname.replace("/dashboard/api", "") + back.search;
  return (await browser.send("GET", callback)).headers.get("location") ?? "";
}

/** Signs a browser up before the tests of a file; `send` takes a path of its account. */
export function useSignedUpBrowser(harness: Pick<Harness, "url">) {
  const signedUp = {
    send: (method, path, ...rest) =>
      signedUp.browser.send(method, `/accounts/${signedUp.account}${path}`, ...rest),
  } as { browser: Browser; account: string; send: Browser["send"] };
  beforeAll(async () => {
    signedUp.browser = newBrowser(harness);
    signedUp.account = accountOf(await signedUp.browser.signUp());
  });
  return signedUp;
}

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

/** The only account of a user who has just signed up. */
export function accountOf({ accounts }: Schemas["Session"]): string {
  const [account] = accounts;
  if (!account) throw new Error("the session has no account");
  return account.id;
}
