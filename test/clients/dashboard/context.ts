/** The state shared by the dashboard's suites: one service, one browser and one user's page. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startOidcProvider, type OidcProvider } from "../../support/oidc-provider.ts";
import { startSmtp, type Smtp } from "../../support/smtp-server.ts";
import { oneProcess, type WholeService } from "../../support/whole-service.ts";
import { startChromium, type Chromium } from "./chromium.ts";
import { DESK } from "./user-actions.ts";

export type Shared = {
  service: WholeService;
  chromium: Chromium;
  /** Where the service sends its mail. */
  smtp: Smtp;
  provider: OidcProvider;
  /** Signed in as ADA after the first suite. */
  page: Page;
};

/** Call it inside tests only: a `beforeAll` sets the state. */
export type Context = () => Shared;

/** The dashboard in Chromium against a whole service, for the suites of one file; `prepare` runs before them. */
export function sharedContext(prepare?: (shared: Shared) => Promise<void>): Context {
  const stack = new AsyncDisposableStack();
  let shared: Shared;
  beforeAll(async () => {
    const smtp = stack.use(await startSmtp());
    const mail = { SMTP_URL: smtp.url, MAIL_FROM: "media@example.com" };
    const provider = stack.use(await startOidcProvider());
    const oidc = {
      OIDC_NAME: "Acme ID",
      OIDC_DISCOVERY_URL: provider.discoveryUrl,
      OIDC_CLIENT_ID: "media",
      OIDC_CLIENT_SECRET: "secret",
    };
    const env = { ...mail, ...oidc, SIMULATOR_PACE_MS: "100", TOKEN_PRICE: "0.01 USD" };
    const service = stack.use(await oneProcess(env));
    const chromium = stack.use(await startChromium(service.url));
    shared = { service, chromium, smtp, provider, page: await chromium.newPage() };
    await prepare?.(shared);
  });
  afterAll(() => stack.disposeAsync());
  return () => shared;
}

/** After each test of a suite, also one that failed, so that it fails alone: no routes, and the window of a desk. */
export function restoresThePage(context: Context): void {
  afterEach(async () => {
    const { page } = context();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.setViewportSize(DESK);
  });
}

/** The last test of a file: about all that its suites have done. */
export function keepsToItself(context: Context): void {
  it("requests nothing from other hosts and logs no error", () => {
    const { provider, chromium } = context();
    const { origin } = new URL(provider.discoveryUrl);
    const hosts = chromium.externalRequests().map((url) => new URL(url).origin);
    expect(hosts.filter((host) => host !== origin)).toEqual([]);
    expect(chromium.errors).toEqual([]);
  });
}
