/** What the browser tests share: one service, one browser, one signed-in user and an account with something in it. */
import { clientOf, newCustomer } from "../../support/customer.ts";
import { forTests } from "../../support/for-tests.ts";
import { startOidcProvider } from "../../support/oidc-provider.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startSmtp } from "../../support/smtp-server.ts";
import { oneProcess, type WholeService } from "../../support/whole-service.ts";
import { startChromium } from "./chromium.ts";
import { ADA, DESK, appears, signIn, type User } from "./user-actions.ts";
import { loadFaults } from "./violations.ts";

/** Empty outside of tests. */
export const shared = forTests(open);

// Each test leaves the windows without routes, and as on a desk.
afterEach(async () => {
  for (const window of [shared.page, shared.visitor]) {
    await window.unrouteAll({ behavior: "ignoreErrors" });
    if (window.viewportSize()?.width !== DESK.width) await window.setViewportSize(DESK);
  }
});

async function open(stack: AsyncDisposableStack) {
  const smtp = stack.use(await startSmtp());
  const provider = stack.use(await startOidcProvider());
  const starting = oneProcess({
    SMTP_URL: smtp.url,
    MAIL_FROM: "media@example.com",
    OIDC_NAME: "Acme ID",
    OIDC_DISCOVERY_URL: provider.discoveryUrl,
    OIDC_CLIENT_ID: "media",
    OIDC_CLIENT_SECRET: "secret",
    SIMULATOR_PACE_MS: "0",
    TOKEN_PRICE: "0.01 USD",
  });
  const browser = startChromium(starting);
  // Both end before one throws: whichever fails leaves nothing of the other, and the service's fault is the one shown.
  await Promise.allSettled([starting, browser]);
  const service = stack.use(await starting);
  const chromium = stack.use(await browser);
  // The name is as wide as one can be.
  const customer = await newCustomer(service, undefined, "W".repeat(100));
  const { accountId } = customer;
  await createUser(service, accountId, ADA);
  const client = clientOf(service.url, await customer.key("test"));
  await using receiver = await startReceiver();
  const image = { model: "gamma-image-3.0-pro", prompt: "A lighthouse" };
  await client.images.create({ ...image, webhook_url: receiver.url });
  await receiver.has(1);
  const [page, visitor] = [await chromium.newPage(), await chromium.newPage()];
  const signInFaults = await loadFaults(page, async () => {
    await page.goto("/dashboard/sign-in");
    await appears(page.getByRole("heading", { level: 1 }));
  });
  await signIn(page, ADA);
  await appears(page.getByRole("heading", { name: "Overview" }));
  return {
    service,
    chromium,
    /** Where the service sends its mail. */
    smtp,
    provider,
    /** ADA's, who owns it; it has an image whose webhook was delivered. */
    accountId,
    /** Uses a key of the account's test mode. */
    client,
    /** The path of a page of the account in test mode. */
    at: (path: string) => `/dashboard/${accountId}/test/${path}`,
    /** What was wrong with the first load of the page to sign in. */
    signInFaults,
    /** The window of ADA, who is signed in; a test begins on the page that it opens and leaves no dialog. */
    page,
    /** The window of somebody else, whom each test signs in itself, or nobody. */
    visitor,
    /** Makes a user who owns an account of their own. */
    newUser: async (name: string): Promise<User> => {
      const user = { name, email: `${name.toLowerCase()}@example.com`, password: PASSWORD };
      await createUser(service, (await newCustomer(service)).accountId, user);
      return user;
    },
  };
}

const PASSWORD = "nanosecond wire of copper";

async function createUser(service: WholeService, accountId: string, user: User): Promise<void> {
  using operator = service.operator();
  await operator.accounts.createUser({ accountId, ...user });
}
