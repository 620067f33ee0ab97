/**
 * The least that a create can cost here, in its own process: the bare Fastify that also makes durable what the service makes
 * durable, as often, and nothing else.
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { Client } from "undici";
import { bareServer, type BareRoute } from "./api-bare-server.ts";
import type { BareReady } from "./api-servers.ts";

export type DurableOrder = {
  routes: readonly BareRoute[];
  databaseUrl: string;
  upstreamUrl: string;
  /** For files. */
  folder: string;
};

/** Those of a create that wait for each other: docs/architecture.md, "Crashes". */
const COMMITS = { video: 3, image: 8 };

process.on("message", (order: DurableOrder) => void serve(order));
process.once("disconnect", () => process.exit());

async function serve({ routes, databaseUrl, upstreamUrl, folder }: DurableOrder): Promise<void> {
  const sql = postgres(databaseUrl, { max: COMMITS.image, onnotice: () => undefined });
  await sql`create table if not exists durable (id uuid, answer text)`;
  const commits = Array.from({ length: COMMITS.image }, () => committer(sql));
  await mkdir(folder, { recursive: true });
  const port = await bareServer(routes, async ({ method, path, answer }) => {
    if (method === "GET") return;
    const isImage = path.includes("/images/");
    const count = isImage ? COMMITS.image : COMMITS.video;
    for (const commit of commits.slice(0, count)) await commit(answer);
    if (isImage) await storeFile(folder, await imageOf(upstreamUrl));
  });
  process.send?.({ port } satisfies BareReady);
}

/** Commits a row; those that come while a statement is in flight share the next. */
function committer(sql: postgres.Sql): (answer: string) => Promise<void> {
  let waiting: { answer: string; done: () => void }[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    // One turn, in which those of the same moment come.
    await new Promise(setImmediate);
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const ids = batch.map(() => randomUUID());
      const answers = batch.map(({ answer }) => answer);
      await sql`insert into durable select * from unnest(${ids}::uuid[], ${answers}::text[])`;
      for (const { done } of batch) done();
    }
    isRunning = false;
  };
  return (answer) =>
    new Promise((done) => {
      waiting.push({ answer, done });
      if (!isRunning) void run();
    });
}

/** Over a connection of its own, as a create that may not be sent twice is. */
async function imageOf(upstreamUrl: string): Promise<Buffer> {
  const client = new Client(upstreamUrl);
  const { body } = await client.request({
    method: "POST",
    path: "/images/generations",
    body: "{}",
  });
  const { data } = (await body.json()) as { data: { b64_json: string }[] };
  await client.close();
  return Buffer.from(data[0]?.b64_json ?? "", "base64");
}

/** Whole or not at all, whatever ends the process. */
async function storeFile(folder: string, bytes: Buffer): Promise<void> {
  const path = join(folder, randomUUID());
  await using file = await open(`${path}.part`, "wx");
  await file.writeFile(bytes);
  await file.sync();
  await rename(`${path}.part`, path);
  await using parent = await open(folder, "r");
  await parent.sync();
}
