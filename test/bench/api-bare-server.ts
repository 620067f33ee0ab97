/**
 * A bare Fastify in its own process: the limit of what a server can do here. Where an order says so, it also makes durable
 * what the service makes durable, as often, and nothing else.
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import fastify from "fastify";
import postgres from "postgres";
import { Client } from "undici";
import { batchByKey } from "#runtime/postgres/batch.ts";
import { readDocument } from "../../services/gateway/edge/http/contract.ts";
import type { Ready } from "./api-children.ts";

/** What the bare server answers on a route. */
export type BareRoute = {
  method: "GET" | "POST";
  path: string;
  /** The name of the document's schema that bodies are validated with. */
  bodySchema?: string;
  status: number;
  answer: string;
};

export type BareOrder = { routes: readonly BareRoute[]; durable: DurableOrder | undefined };

export type DurableOrder = {
  databaseUrl: string;
  upstreamUrl: string;
  /** For files. */
  folder: string;
};

/** Those of a create that wait for the disk, one after the other: docs/architecture.md, "Crashes". */
const COMMITS = { video: 3, image: 5 };

type Work = (route: BareRoute) => Promise<void>;

process.on("message", (order: BareOrder) => void serve(order));
process.once("disconnect", () => process.exit());

async function serve({ routes, durable }: BareOrder): Promise<void> {
  const port = await bareServer(routes, durable && (await durableWork(durable)));
  process.send?.({ port } satisfies Ready);
}

/** Parses and validates each request, does `work`, and answers with bytes made before. */
async function bareServer(routes: readonly BareRoute[], work: Work | undefined): Promise<number> {
  const options = { customOptions: { strict: false, formats: { "public-https-url": true } } };
  const app = fastify({ ajv: options as object, exposeHeadRoutes: false });
  app.addSchema({ $id: "document", components: readDocument("media").components });
  for (const route of routes) {
    const { method, path, bodySchema, status, answer } = route;
    if (app.hasRoute({ method, url: path })) continue;
    const body = { $ref: `document#/components/schemas/${bodySchema}` };
    app.route({
      method,
      url: path,
      schema: bodySchema === undefined ? {} : { body },
      handler: async (_request, reply) => {
        await work?.(route);
        void reply.code(status).type("application/json; charset=utf-8");
        return answer;
      },
    });
  }
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

async function durableWork({ databaseUrl, upstreamUrl, folder }: DurableOrder): Promise<Work> {
  const sql = postgres(databaseUrl, { max: COMMITS.image, onnotice: () => undefined });
  await sql`create table if not exists durable (id uuid, answer text)`;
  const commits = Array.from({ length: COMMITS.image }, () => committer(sql));
  await mkdir(folder, { recursive: true });
  return async ({ method, path, answer }) => {
    if (method === "GET") return;
    const isImage = path.includes("/images/");
    const count = isImage ? COMMITS.image : COMMITS.video;
    for (const commit of commits.slice(0, count)) await commit(answer);
    if (isImage) await storeFile(folder, await imageOf(upstreamUrl));
  };
}

/** Commits a row; those that come while a statement is in flight share the next. */
function committer(sql: postgres.Sql): (answer: string) => Promise<unknown> {
  const commit = batchByKey<string, string>({
    maxBatch: Infinity,
    run: async (_key, answers) => {
      const ids = answers.map(() => randomUUID());
      await sql`insert into durable select * from unnest(${ids}::uuid[], ${[...answers]}::text[])`;
      return ids;
    },
  });
  return (answer) => commit("", answer);
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
