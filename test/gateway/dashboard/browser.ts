/** A browser as the dashboard's routes see it: cookies of its own, and requests from the dashboard's origin. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { Harness } from "../harness.ts";

export type Schemas = components["schemas"];

export type Answer<T> = { status: number; body: T; headers: Headers; text: string };

export type Browser = {
  cookies: Map<string, string>;
  /** Sends to /dashboard/api; what is not said is as the dashboard's own pages do it. */
  send: <T = Schemas["DashboardErrorResponse"]>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer<T>>;
  /** Signs up with an e-mail of its own and answers with the account that this made. */
  signUp: (email?: string, invitation?: string) => Promise<Schemas["Session"]>;
};

export const PASSWORD = "correct horse battery";

let people = 0;

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
      for (const line of response.headers.getSetCookie()) keep(cookies, line);
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.includes("json");
      const parsed = (isJson ? JSON.parse(text) : undefined) as T;
      return { status: response.status, body: parsed, headers: response.headers, text };
    },
    async signUp(email = `person-${++people}@example.com`, invitation) {
      const wish = { name: "Person", email, password: PASSWORD };
      const { status, body, text } = await browser.send<Schemas["Session"]>(
        "POST",
        "/auth/sign-up",
        invitation === undefined ? wish : { ...wish, invitation },
      );
      if (status !== 201) throw new Error(`not signed up: ${text}`);
      return body;
    },
  };
  return browser;
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(/; */);
  const [name = "", value = ""] = pair.split(/=(.*)/s);
  const isGone = attributes.some((one) => one.toLowerCase() === "max-age=0");
  if (isGone) cookies.delete(name);
  else cookies.set(name, value);
}

/** The only account of someone who just signed up. */
export function accountOf({ accounts }: Schemas["Session"]): string {
  const [account] = accounts;
  if (!account) throw new Error("there is no account");
  return account.id;
}
