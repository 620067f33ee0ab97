/** What is left of deleted generations in the database and in what the service has logged, whatever its encoding. */
import { expect, it } from "vitest";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { SERVICES } from "../../services/ops/setup/provision.ts";
import { clientOf } from "../support/customer.ts";
import { startReceiver } from "../support/receiver.ts";
import { servicesInProcess } from "./services-in-process.ts";
import { betrays, valuesOf } from "./stored-values.ts";

const WORD = "unspeakable";
const PROMPT = `an ${WORD} cat`;
/** Each look reads all that there is. */
const SOON = { interval: 500 };

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
