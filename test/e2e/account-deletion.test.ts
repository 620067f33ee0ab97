/** What is left of an account and of its people in the databases and in the object store after their deletion. */
import { expect, it } from "vitest";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { createS3Store } from "../../services/delivery/storage/s3.ts";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import { newBrowser, PASSWORD } from "../gateway/dashboard/browser.ts";
import { clientOf } from "../support/customer.ts";
import { makeImage } from "../support/make-media.ts";
import { manualClock } from "../support/manual-clock.ts";
import { startReceiver } from "../support/receiver.ts";
import { startS3 } from "../support/s3.ts";
import { servicesInProcess } from "./services-in-process.ts";
import { betrays, valuesOf } from "./stored-values.ts";

const WORD = "unspeakable";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** For so long a gateway believes what it knows of a key. */
const KEY_TRUSTED_MS = 1_000;
/** Each look reads all that there is. */
const SOON = { interval: 500, timeout: 60_000 };

/** Time passes as it does, and can be moved ahead. */
function movableClock(stack: AsyncDisposableStack) {
  const clock = manualClock(new Date().toISOString());
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const passedMs = Math.floor(performance.now() - lastMs);
    lastMs += passedMs;
    clock.advance(passedMs);
  }, 10);
  stack.defer(() => clearInterval(timer));
  return clock;
}

it("of a deleted account and user nothing is left after 30 days but numbers, and before that it is undone", async () => {
  await using stack = new AsyncDisposableStack();
  const s3 = stack.use(await startS3());
  const { endpoint = "", region, bucket, credentials } = s3.config;
  const clock = movableClock(stack);
  const { services, databases, customer, ops, operator } = await servicesInProcess(
    stack,
    () => {},
    {
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? "",
      S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? "",
      S3_FORCE_PATH_STYLE: "true",
      LIVE_PROVIDER: "simulator",
      // The log is erased with the account, not by its age.
      REQUEST_LOG_DAYS: "90",
    },
    { clock },
  );
  const receiver = stack.use(await startReceiver());
  const store = stack.use(createS3Store(s3.config));
  const { accountId } = customer;
  const own = ["--account", accountId] as const;
  const connect = (name: ServiceName) => {
    const sql = connectPostgres({ url: databases[name].ownerUrl, maxConnections: 1 }, "test");
    stack.defer(() => sql.end());
    return sql;
  };
  const owners = Object.fromEntries(SERVICES.map((name) => [name, connect(name)])) as Record<
    ServiceName,
    ReturnType<typeof connect>
  >;
  const betraying = async (word: string) =>
    (await Promise.all(SERVICES.map((name) => valuesOf(owners[name], name))))
      .flat()
      .filter(betrays(word));
  const objects = async () => {
    const keys: string[] = [];
    for await (const { key } of store.list()) keys.push(key);
    return keys;
  };
  const ledger = () => owners.billing`
    select mode, type, generation_id, reference, available_change, spent_change, available_after from billing.entries
    where account_id = ${accountId} order by sequence`;

  // People, a key, limits, alerts, an invitation, and what they ask for.
  const browser = newBrowser(services);
  const email = `${WORD}@example.com`;
  const person = { account: accountId, email, name: `Ada ${WORD}` };
  {
    using session = operator();
    const { account, ...user } = person;
    await session.accounts.createUser({ accountId: account, ...user, password: PASSWORD });
    await session.accounts.createKey({ accountId, mode: 1, name: WORD, dayTokens: 90_000n });
  }
  const sent = async (method: string, path: string, body?: object) => {
    const answer = await browser.send(method, path, body);
    expect([method, path, answer.status < 400 ? "ok" : answer.text]).toEqual([method, path, "ok"]);
  };
  const account = `/accounts/${accountId}`;
  await sent("POST", "/auth/sign-in", { email, password: PASSWORD });
  await sent("PATCH", account, { name: `${WORD} Ltd` });
  await sent("POST", `${account}/invitations`, {
    email: `friend-of-${email}`,
    role: "viewer",
    current_password: PASSWORD,
  });
  await sent("POST", `${account}/requests`, { kind: "tokens", tokens: 5, message: WORD });
  const alerts = { limit_percents: [50], webhook_url: `${receiver.url}/${WORD}`, mail: true };
  await sent("PUT", `${account}/alerts`, alerts);
  const asked = await ops<{ id: string }[]>("application", "list");
  await ops("application", "approve", "--id", asked[0]?.id ?? "", "--answer", `for ${WORD}`);
  await ops("recharge", ...own, "--tokens", "7", "--reference", "INV-7", "--note", WORD);

  // Content.
  const client = clientOf(services.url, await customer.key("live"));
  const file = await client.files.create(new Blob([makeImage("png")]));
  const unused = await client.files.create(new Blob([makeImage("png", 80)]));
  expect(unused.id).not.toBe(file.id);
  const request = {
    prompt: `an ${WORD} cat`,
    metadata: { order: WORD },
    end_user: `${WORD}-17`,
    webhook_url: `${receiver.url}/${WORD}`,
  };
  const video = { ...request, model: "beta-3.0-video", duration: 5, image_url: file.url } as const;
  const made = await client.videos.create(video);
  await client.images.create({ ...request, model: "gamma-image-3.0-pro" });
  await client.videos.wait(made.id, { pollMs: 100 });
  await receiver.has(2);
  await ops("webhook", "test", ...own, "--url", `${receiver.url}/${WORD}`);
  await receiver.has(3);

  // Undone, all works as before.
  await ops("account", "delete", ...own);
  clock.advance(KEY_TRUSTED_MS);
  await expect(client.videos.retrieve(made.id)).rejects.toMatchObject({ status: 401 });
  await expect(client.videos.create(video)).rejects.toMatchObject({ status: 401 });
  const refused = await browser.send("GET", account);
  expect([refused.status, refused.body.error.code]).toEqual([403, "account_deleted"]);
  await ops("account", "restore", ...own);
  clock.advance(KEY_TRUSTED_MS);
  expect((await client.videos.retrieve(made.id)).input.prompt).toBe(request.prompt);
  await sent("GET", `${account}/members`);

  const before = { ledger: await ledger(), objects: await objects() };
  expect(before.objects.length).toBeGreaterThanOrEqual(5);
  expect(before.ledger.length).toBeGreaterThan(5);
  expect((await betraying(WORD)).length).toBeGreaterThan(10);
  await expect(ops("user", "delete", "--email", email)).rejects.toThrow(
    `the only owner of ${accountId}`,
  );
  await ops("account", "delete", ...own);
  await ops("user", "delete", "--email", email);
  expect((await browser.send("GET", account)).status).toBe(401);
  // The first turn of the gateway deletes the generations; one after that finds none and erases the rest.
  clock.advance(30 * DAY_MS + 2 * MINUTE_MS);
  await expect
    .poll(
      () => owners.generation`select id from generation.generations where erased_at is null`,
      SOON,
    )
    .toEqual([]);
  const nextTurn = () => {
    clock.advance(MINUTE_MS + 1);
    return betraying(WORD);
  };
  await expect.poll(nextTurn, SOON).toEqual([]);
  await expect.poll(objects, SOON).toEqual([]);
  expect(await betraying(new URL(receiver.url).host)).toEqual([]);
  expect(await ledger()).toEqual(before.ledger);
  const sums = await owners.billing`
    select b.mode from billing.balances b join billing.entries e using (account_id, mode)
    where account_id = ${accountId}
    group by b.account_id, b.mode
    having sum(e.available_change) = b.available and sum(e.spent_change) = b.spent and b.reserved = 0`;
  expect(sums.map(({ mode }) => String(mode))).toContain("live");
  const accounts = await owners.gateway`
    select name, erased_at from gateway.accounts where account_id = ${accountId}`;
  expect(accounts).toMatchObject([{ name: "a deleted account", erasedAt: expect.any(Date) }]);
  await expect(client.videos.retrieve(made.id)).rejects.toMatchObject({ status: 401 });
}, 240_000);
