/** What is left of deleted generations in the database and in what the service has logged, whatever its encoding. */
import { expect, it } from "vitest";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import { clientOf } from "../support/customer.ts";
import { startReceiver } from "../support/receiver.ts";
import { servicesInProcess } from "./services-in-process.ts";

const WORD = "unspeakable";
const PROMPT = `an ${WORD} cat`;
/** Each look reads all that there is. */
const SOON = { interval: 500 };

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

it("of deleted generations no row and no log line has the prompt, the webhook's host or an upstream's id", async () => {
  await using stack = new AsyncDisposableStack();
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const { services, databases, customer } = await servicesInProcess(stack, write);
  const receiver = stack.use(await startReceiver());
  const client = clientOf(services.url, await customer.key("test"));
  const ownerOf = (name: ServiceName) => {
    const sql = connectPostgres({ url: databases[name].ownerUrl, maxConnections: 1 }, "test");
    stack.defer(() => sql.end());
    return { name, sql };
  };
  const owners = SERVICES.map(ownerOf);
  const values = async () =>
    (await Promise.all(owners.map(({ name, sql }) => valuesOf(sql, name)))).flat();
  const { sql: generations } = ownerOf("generation");
  const idsOf = async (): Promise<string[]> => {
    const rows = await generations<{ upstreamId: string }[]>`
      select upstream_id from generation.generations where upstream_id is not null
      union select upstream_id from generation.submits where upstream_id is not null`;
    return rows.map(({ upstreamId }) => upstreamId);
  };

  const host = new URL(receiver.url).host;
  const request = { prompt: PROMPT, webhook_url: receiver.url, metadata: { order: WORD } };
  const made = await client.videos.create({ ...request, model: "beta-3.0-video", duration: 2 });
  const failing = await client.videos.create({
    ...request,
    model: "beta-3.0-video",
    duration: 2,
    metadata: { order: WORD, simulate: "fail:upstream_failed" },
  });
  const image = await client.images.create({ model: "gamma-image-3.0-pro", prompt: PROMPT });
  await client.videos.wait(made.id, { pollMs: 100 });
  await client.videos.wait(failing.id, { pollMs: 100 });
  await receiver.has(2);
  const upstreamIds = await idsOf();
  expect(upstreamIds).toHaveLength(2);
  expect((await values()).some(betrays(WORD))).toBe(true);

  for (const { id } of [made, failing]) await client.videos.delete(id);
  await client.images.delete(image.id);
  await expect.poll(async () => (await values()).filter(betrays(WORD)), SOON).toEqual([]);
  await expect.poll(idsOf, SOON).toEqual([]);
  await expect.poll(async () => (await values()).filter(betrays(host)), SOON).toEqual([]);
  expect(lines.some((line) => line.includes("webhook attempt"))).toBe(true);
  for (const word of [WORD, host, ...upstreamIds]) expect(lines.filter(betrays(word))).toEqual([]);
});
