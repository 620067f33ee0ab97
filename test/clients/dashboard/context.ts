/** What the browser tests share: one service, one browser, one signed-in user and an account with something in it. */
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import type { Client } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { startOidcProvider, type OidcProvider } from "../../support/oidc-provider.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startSmtp, type Smtp } from "../../support/smtp-server.ts";
import { oneProcess, type WholeService } from "../../support/whole-service.ts";
import { startChromium, type Chromium } from "./chromium.ts";
import { ADA, DESK, appears, signIn, type User } from "./user-actions.ts";

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
  /** Opens a window in which ADA is signed in. */
  signedIn: (options?: BrowserContextOptions) => Promise<Page>;
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
    const page = await chromium.newPage();
    await page.goto("/dashboard/sign-in");
    await signIn(page, ADA);
    await appears(page.getByRole("heading", { name: "Overview" }));
    const storageState = await page.context().storageState();
    await page.context().close();
    shared = {
      service,
      chromium,
      smtp,
      provider,
      accountId,
      client,
      key,
      at: (path) => `/dashboard/${accountId}/test/${path}`,
      signedIn: (options) => chromium.newPage({ storageState, ...options }),
      newUser: async (name) => {
        const user = { name, email: `${name.toLowerCase()}@example.com`, password: PASSWORD };
        await createUser(service, (await newCustomer(service)).accountId, user);
        return user;
      },
    };
  });
  afterAll(() => stack.disposeAsync());
  return () => shared;
}

const PASSWORD = "nanosecond wire of copper";

async function createUser(service: WholeService, accountId: string, user: User): Promise<void> {
  using operator = service.operator();
  await operator.accounts.createUser({ accountId, ...user });
}

/** One window for the tests of a suite, in which ADA is signed in; each test leaves it without routes, and as on a desk. */
export function signedInPage(context: Context, options?: BrowserContextOptions): () => Page {
  let page: Page;
  beforeAll(async () => {
    page = await context().signedIn(options);
    await page.goto(context().at("overview"));
    await appears(page.getByRole("heading", { name: "Overview", level: 1 }));
  });
  afterEach(async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.setViewportSize(DESK);
  });
  afterAll(() => page.context().close());
  return () => page;
}
