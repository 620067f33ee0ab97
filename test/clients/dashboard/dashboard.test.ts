/** The dashboard in Chromium, against the whole service. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOidcProvider } from "../../support/oidc-provider.ts";
import { startSmtp } from "../../support/smtp-server.ts";
import { oneProcess } from "../../support/whole-service.ts";
import { startChromium } from "./chromium.ts";
import type { Shared } from "./context.ts";
import { billing } from "./suites/billing.ts";
import { documentation } from "./suites/documentation.ts";
import { everyPage } from "./suites/every-page.ts";
import { faults } from "./suites/faults.ts";
import { generations } from "./suites/generations.ts";
import { apiKeys } from "./suites/keys.ts";
import { members } from "./suites/members.ts";
import { playground } from "./suites/playground.ts";
import { search } from "./suites/search.ts";
import { signingIn } from "./suites/signing-in.ts";
import { webhooks } from "./suites/webhooks.ts";

describe("the dashboard", () => {
  const stack = new AsyncDisposableStack();
  let shared: Shared;
  const context = () => shared;

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
  });
  afterAll(() => stack.disposeAsync());

  // The order matters: each suite leaves the page signed in for the next.
  signingIn(context);
  faults(context);
  playground(context);
  generations(context);
  apiKeys(context);
  webhooks(context);
  members(context);
  billing(context);
  search(context);
  everyPage(context);
  documentation(context);

  it("requests nothing from other hosts and logs no error", () => {
    const { origin } = new URL(shared.provider.discoveryUrl);
    const hosts = shared.chromium.externalRequests().map((url) => new URL(url).origin);
    expect(hosts.filter((host) => host !== origin)).toEqual([]);
    expect(shared.chromium.errors).toEqual([]);
  });
});
