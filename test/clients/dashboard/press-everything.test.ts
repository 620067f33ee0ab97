/**
 * No control of the dashboard makes a page fail, whatever it does to the account. It takes a browser for minutes, so it
 * runs with TEST_SIZE=long only.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientOf } from "../../support/customer.ts";
import { startReceiver } from "../../support/receiver.ts";
import { oneProcess, type WholeService } from "../../support/whole-service.ts";
import { startChromium, type Chromium } from "./chromium.ts";
import { pressEverything } from "./press-everything.ts";
import { scopeOf, signIn, signUp } from "./user-actions.ts";
import { isLong } from "../../support/test-size.ts";

const TIMEOUT_MS = 600_000;

describe.runIf(isLong)("a user who presses everything", { timeout: TIMEOUT_MS }, () => {
  const stack = new AsyncDisposableStack();
  let service: WholeService;
  let chromium: Chromium;
  beforeAll(async () => {
    service = stack.use(await oneProcess({ SIMULATOR_PACE_MS: "0" }));
    chromium = stack.use(await startChromium(service.url));
  });
  afterAll(() => stack.disposeAsync());

  const fill = (account: string) => createHistory(service, account);
  const leave = async () => {};
  const accounts = [
    ["with data", fill],
    ["that is empty", leave],
  ] as const;
  it.each(accounts)("sees no page of an account %s fail", async (what, prepare) => {
    const page = await chromium.newPage();
    const email = `${what.replaceAll(" ", ".")}@example.com`;
    const user = { name: "Grace Hopper", email, password: "a compiler of programs" };
    await signUp(page, user);
    await prepare(scopeOf(page).accountId);
    const signInAgain = async () => {
      await page.goto("/dashboard/sign-in");
      await signIn(page, user);
      await page.waitForURL("**/overview");
    };
    const { pressed, faults } = await pressEverything(
      page,
      chromium.errors,
      signInAgain,
      user.password,
    );
    expect(faults).toEqual([]);
    expect(pressed.length).toBeGreaterThan(100);
    await page.context().close();
  });
});

/** Tokens, keys, videos, a failed one among them, an image, and webhooks, the first of which was refused. */
async function createHistory({ ops, url }: WholeService, account: string): Promise<void> {
  await using receiver = await startReceiver({ status: 503 });
  await ops("account", "grant-production", "--account", account);
  await ops("recharge", "--account", account, "--tokens", "100000", "--no-reference");
  const { key } = await ops<{ key: string }>(
    "key",
    "create",
    "--account",
    account,
    "--mode",
    "test",
    "--name",
    "Laptop",
  );
  const client = clientOf(url, key);
  const video = { model: "alpha-2.0", prompt: "A boat", webhook_url: receiver.url };
  for (const simulate of ["success", "fail:content_rejected"]) {
    const { id } = await client.videos.create({ ...video, metadata: { simulate } });
    await client.videos.wait(id, { pollMs: 100 }).catch(() => {});
  }
  await client.images.create({ model: "gamma-image-3.0-pro", prompt: "A lighthouse" });
  await receiver.has(2);
}
