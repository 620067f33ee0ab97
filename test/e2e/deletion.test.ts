/** What is left of generations, of an account and of its people in databases, the object store and logs after deletion. */
import type { Sql } from "#runtime/postgres/connect.ts";
import { SERVICES, type ServiceName } from "#runtime/service/service.ts";
import { createS3Store } from "../../services/delivery/storage/s3.ts";
import { newBrowser, PASSWORD } from "../gateway/dashboard/browser.ts";
import { clientOf } from "../support/customer.ts";
import { openPool } from "../support/database.ts";
import { forTests } from "../support/for-tests.ts";
import { makeImage } from "../support/make-media.ts";
import { manualClock } from "../support/manual-clock.ts";
import { startReceiver } from "../support/receiver.ts";
import { startS3 } from "../support/s3.ts";
import { servicesInProcess } from "./services-in-process.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** For so long a gateway believes what it knows of a key. */
const KEY_TRUSTED_MS = 1_000;
/** Each look reads all that there is. */
const SOON = { interval: 500, timeout: 60_000 };

const lines: string[] = [];
const s3 = forTests(() => startS3());
const clock = forTests(movableClock);
const service = forTests((stack) => {
  const { endpoint = "", region, bucket, credentials } = s3.config;
  const env = {
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? "",
    S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? "",
    S3_FORCE_PATH_STYLE: "true",
    LIVE_PROVIDER: "simulator",
    // The log is erased with the account, not by its age.
    REQUEST_LOG_DAYS: "90",
  };
  return servicesInProcess(stack, (line) => void lines.push(line), env, { clock });
});
/** Each has all rights in the database of a service. */
const owners = forTests((stack) => {
  const ownerOf = (name: ServiceName): [ServiceName, Sql] => [
    name,
    stack.use(openPool(service.databases[name].ownerUrl)),
  ];
  return Object.fromEntries(SERVICES.map(ownerOf)) as Record<ServiceName, Sql>;
});

/** Every value of every table, as text. */
async function valuesOf(sql: Sql, schema: string): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = ${schema} and table_type = 'BASE TABLE'`;
  const rows = await Promise.all(
    tables.map(({ name }) => sql`select * from ${sql(schema)}.${sql(name)}`),
  );
  return rows.flat().flatMap((row) =>
    Object.values(row).map((value: unknown) => {
      if (Buffer.isBuffer(value)) return value.toString("latin1");
      return typeof value === "string" ? value : (JSON.stringify(value, bigintAsText) ?? "");
    }),
  );
}

const bigintAsText = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? `${value}` : value;

/** The text, and what is encoded in it as base64 or base64url. */
function decoded(text: string): string[] {
  const encoded = text.match(/[A-Za-z0-9+/_-]{16,}/g) ?? [];
  // It may begin anywhere in a run of such characters.
  const read = (part: string) =>
    [0, 1, 2, 3].map((from) => Buffer.from(part.slice(from), "base64").toString("latin1"));
  return [text, ...encoded.flatMap(read)];
}

const betrays = (word: string) => (text: string) =>
  decoded(text).some((one) => one.toLowerCase().includes(word.toLowerCase()));

/** The stored values that have the word in them. */
async function betraying(word: string): Promise<string[]> {
  const values = await Promise.all(SERVICES.map((name) => valuesOf(owners[name], name)));
  return values.flat().filter(betrays(word));
}

it("of deleted generations no row and no log line has the prompt, the webhook's host or an upstream's id", async () => {
  await using receiver = await startReceiver();
  const word = "unmentionable";
  const prompt = `an ${word} cat`;
  const client = clientOf(service.url, await service.customer.key("test"));
  const generations = owners.generation;
  const idsOf = async (): Promise<string[]> => {
    const rows = await generations<{ upstreamId: string }[]>`
      select upstream_id from generation.generations where upstream_id is not null
      union select upstream_id from generation.submits where upstream_id is not null`;
    return rows.map(({ upstreamId }) => upstreamId);
  };

  const host = new URL(receiver.url).host;
  const request = { model: "beta-3.0-video", prompt, duration: 2, webhook_url: receiver.url };
  const metadata = { order: word };
  const made = await client.videos.create({ ...request, metadata });
  const failure = { ...metadata, simulate: "fail:upstream_failed" };
  const failing = await client.videos.create({ ...request, metadata: failure });
  const image = await client.images.create({ model: "gamma-image-3.0-pro", prompt });
  for (const { id } of [made, failing]) await client.videos.wait(id, { pollMs: 100 });
  await receiver.has(2);
  const upstreamIds = await idsOf();
  expect(upstreamIds).toHaveLength(2);
  expect(await betraying(word)).not.toEqual([]);

  for (const { id } of [made, failing]) await client.videos.delete(id);
  await client.images.delete(image.id);
  await expect.poll(idsOf, SOON).toEqual([]);
  for (const each of [word, host]) await expect.poll(() => betraying(each), SOON).toEqual([]);
  expect(lines.some((line) => line.includes("webhook attempt"))).toBe(true);
  for (const each of [word, host, ...upstreamIds]) expect(lines.filter(betrays(each))).toEqual([]);
});

it("of a deleted account and user nothing is left after 30 days but numbers, and before that it is undone", async () => {
  await using receiver = await startReceiver();
  const word = "unspeakable";
  const { customer, ops, operator } = service;
  using store = createS3Store(s3.config);
  const { accountId } = customer;
  const own = ["--account", accountId] as const;
  const objects = async () => {
    const keys: string[] = [];
    for await (const { key } of store.list()) keys.push(key);
    return keys;
  };
  const ledger = () => owners.billing`
    select mode, type, generation_id, reference, available_change, spent_change, available_after from billing.entries
    where account_id = ${accountId} order by sequence`;

  // People, a key, limits, alerts, an invitation, and what they ask for.
  const browser = newBrowser(service);
  const email = `${word}@example.com`;
  {
    using session = operator();
    const user = { email, name: `Ada ${word}`, password: PASSWORD };
    await session.accounts.createUser({ accountId, ...user });
    await session.accounts.createKey({ accountId, mode: 1, name: word, dayTokens: 90_000n });
  }
  const sent = async (method: string, path: string, body?: object) => {
    const answer = await browser.send(method, path, body);
    expect([method, path, answer.status < 400 ? "ok" : answer.text]).toEqual([method, path, "ok"]);
  };
  const account = `/accounts/${accountId}`;
  await sent("POST", "/auth/sign-in", { email, password: PASSWORD });
  await sent("PATCH", account, { name: `${word} Ltd` });
  const invited = { email: `friend-of-${email}`, role: "viewer", current_password: PASSWORD };
  await sent("POST", `${account}/invitations`, invited);
  await sent("POST", `${account}/requests`, { kind: "tokens", tokens: 5, message: word });
  const alerts = { limit_percents: [50], webhook_url: `${receiver.url}/${word}`, mail: true };
  await sent("PUT", `${account}/alerts`, alerts);
  const asked = await ops<{ id: string }[]>("application", "list");
  await ops("application", "approve", "--id", asked[0]?.id ?? "", "--answer", `for ${word}`);
  await ops("recharge", ...own, "--tokens", "7", "--reference", "INV-7", "--note", word);

  // Content.
  const client = clientOf(service.url, await customer.key("live"));
  const file = await client.files.create(new Blob([makeImage("png")]));
  const unused = await client.files.create(new Blob([makeImage("png", 80)]));
  expect(unused.id).not.toBe(file.id);
  const request = {
    prompt: `an ${word} cat`,
    metadata: { order: word },
    end_user: `${word}-17`,
    webhook_url: `${receiver.url}/${word}`,
  };
  const video = { ...request, model: "beta-3.0-video", duration: 5, image_url: file.url } as const;
  const made = await client.videos.create(video);
  await client.images.create({ ...request, model: "gamma-image-3.0-pro" });
  await client.videos.wait(made.id, { pollMs: 100 });
  await receiver.has(2);
  await ops("webhook", "test", ...own, "--url", `${receiver.url}/${word}`);
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
  expect((await betraying(word)).length).toBeGreaterThan(10);
  await expect(ops("user", "delete", "--email", email)).rejects.toThrow(
    `the only owner of ${accountId}`,
  );
  await ops("account", "delete", ...own);
  await ops("user", "delete", "--email", email);
  expect((await browser.send("GET", account)).status).toBe(401);
  // The first turn of the gateway deletes the generations; one after that finds none and erases the rest.
  clock.advance(30 * DAY_MS + 2 * MINUTE_MS);
  const left = () => owners.generation`
    select id from generation.generations where erased_at is null`;
  await expect.poll(left, SOON).toEqual([]);
  const nextTurn = () => {
    clock.advance(MINUTE_MS + 1);
    return betraying(word);
  };
  await expect.poll(nextTurn, SOON).toEqual([]);
  await expect.poll(objects, SOON).toEqual([]);
  expect(await betraying(new URL(receiver.url).host)).toEqual([]);
  const secrets = await owners.delivery`
    select from delivery.webhook_secrets where account_id = ${accountId}`;
  expect(secrets).toHaveLength(0);
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

/** Time passes as it does, and can be moved ahead. */
function movableClock() {
  const clock = manualClock(new Date().toISOString());
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const passedMs = Math.floor(performance.now() - lastMs);
    lastMs += passedMs;
    clock.advance(passedMs);
  }, 10);
  return { ...clock, [Symbol.asyncDispose]: async () => clearInterval(timer) };
}
