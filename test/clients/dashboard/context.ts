/** What the browser tests share: one service, one browser, one signed-in user and an account with something in it. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { Client } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { startOidcProvider, type OidcProvider } from "../../support/oidc-provider.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startSmtp, type Smtp } from "../../support/smtp-server.ts";
import { oneProcess, type WholeService } from "../../support/whole-service.ts";
import { startChromium, type Chromium } from "./chromium.ts";
import { ADA, DESK, appears, signIn, type User } from "./user-actions.ts";
import { countShifts, loadFaults } from "./violations.ts";

export type Shared = {
  service: WholeService;
  chromium: Chromium;
  /** Where the service sends its mail. */
  smtp: Smtp;
  provider: OidcProvider;
  /** ADA's, who owns it; it has an image whose webhook was delivered. */
  accountId: string;
  /** Uses a key of the account's test mode. */
  client: Client;
  key: string;
  /** The path of a page of the account in test mode. */
  at: (page: string) => string;
  /** What was wrong with the first load of the page to sign in. */
  signInFaults: string[];
  /** The window of ADA, who is signed in; a test begins on the page that it opens and leaves no dialog. */
  page: Page;
  /** The window of somebody else, whom each test signs in itself, or nobody. */
  visitor: Page;
  /** Makes a user who owns an account of their own. */
  newUser: (name: string) => Promise<User>;
};

/** Call it inside tests only: a `beforeAll` sets the state. */
export type Context = () => Shared;

export function sharedContext(): Context {
  const stack = new AsyncDisposableStack();
  let shared: Shared;
  beforeAll(async () => {
    const smtp = stack.use(await startSmtp());
    const provider = stack.use(await startOidcProvider());
    const service = stack.use(
      await oneProcess({
        SMTP_URL: smtp.url,
        MAIL_FROM: "media@example.com",
        OIDC_NAME: "Acme ID",
        OIDC_DISCOVERY_URL: provider.discoveryUrl,
        OIDC_CLIENT_ID: "media",
        OIDC_CLIENT_SECRET: "secret",
        SIMULATOR_PACE_MS: "0",
        TOKEN_PRICE: "0.01 USD",
      }),
    );
    const chromium = stack.use(await startChromium(service.url));
    const customer = await newCustomer(service);
    const { accountId } = customer;
    await createUser(service, accountId, ADA);
    const key = await customer.key("test");
    const client = clientOf(service.url, key);
    await using receiver = await startReceiver();
    const image = { model: "gamma-image-3.0-pro", prompt: "A lighthouse" };
    await client.images.create({ ...image, webhook_url: receiver.url });
    await receiver.has(1);
    const [page, visitor] = [await chromium.newPage(), await chromium.newPage()];
    await Promise.all([page, visitor].map(countShifts));
    const signInFaults = await loadFaults(page, async () => {
      await page.goto("/dashboard/sign-in");
      await appears(page.getByRole("heading", { level: 1 }));
    });
    await signIn(page, ADA);
    await appears(page.getByRole("heading", { name: "Overview" }));
    shared = {
      service,
      chromium,
      smtp,
      provider,
      accountId,
      client,
      key,
      signInFaults,
      at: (path) => `/dashboard/${accountId}/test/${path}`,
      page,
      visitor,
      newUser: async (name) => {
        const user = { name, email: `${name.toLowerCase()}@example.com`, password: PASSWORD };
        await createUser(service, (await newCustomer(service)).accountId, user);
        return user;
      },
    };
  });
  // Each test leaves the windows without routes, and as on a desk.
  afterEach(async () => {
    for (const window of [shared.page, shared.visitor]) {
      await window.unrouteAll({ behavior: "ignoreErrors" });
      await window.setViewportSize(DESK);
    }
  });
  afterAll(() => stack.disposeAsync());
  return () => shared;
}

const PASSWORD = "nanosecond wire of copper";

async function createUser(service: WholeService, accountId: string, user: User): Promise<void> {
  using operator = service.operator();
  await operator.accounts.createUser({ accountId, ...user });
}
