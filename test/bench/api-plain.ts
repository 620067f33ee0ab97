/**
 * What a good team would write instead of this service, in its own process: one Fastify, one Postgres, one transaction a
 * create (row with its idempotency key, balance under its row lock, entry, job), nothing batched; and a worker that claims
 * jobs with `skip locked` and submits each to the upstream over HTTP.
 */
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { AddressInfo } from "node:net";
import fastify from "fastify";
import postgres, { type JSONValue } from "postgres";
import type { Ready } from "./api-children.ts";

export type PlainOrder = { databaseUrl: string; upstreamUrl: string };

type Generation = {
  id: string;
  status: string;
  model: string;
  input: JSONValue;
  tokens: string;
  at: Date;
};
type Job = { id: string; account_id: string; generation_id: string };
type Body = { model: string } & Record<string, JSONValue>;

const TABLES = `
  create table accounts (
    id text primary key, available bigint not null check (available >= 0), reserved bigint not null default 0);
  create table keys (hash text primary key, account_id text not null);
  create table generations (
    account_id text, id text, idempotency_key text, status text, model text, input jsonb, tokens bigint, at timestamptz,
    upstream_id text, primary key (account_id, id));
  create unique index on generations (account_id, idempotency_key) where idempotency_key is not null;
  create index on generations (account_id, at);
  create index on generations (account_id, status, at);
  create table entries (
    account_id text, id bigint generated always as identity, generation_id text, type text, tokens bigint, at timestamptz,
    primary key (account_id, id));
  create table jobs (
    id bigint generated always as identity primary key, account_id text, generation_id text,
    run_at timestamptz default now(), locked_at timestamptz);
  create index on jobs (run_at) where locked_at is null;`;
const CONNECTIONS = 16;
const KEY_KNOWN_MS = 1_000;
const TOKENS = 900_000_000_000;
const PRICE = 500;
const PAGE = 20;
/** Jobs that are submitted at a time. */
const WORKING = 32;
const BUSY_REST_MS = 5;
const IDLE_REST_MS = 100;
const BODY = {
  type: "object",
  required: ["model", "prompt"],
  additionalProperties: false,
  properties: {
    model: { type: "string", maxLength: 100 },
    prompt: { type: "string", minLength: 1, maxLength: 5000 },
    duration: { type: "integer", minimum: 1 },
    aspect_ratio: { type: "string" },
    metadata: { type: "object", additionalProperties: { type: "string" } },
  },
};

process.on("message", (order: PlainOrder) => void serve(order));
process.once("disconnect", () => process.exit());

async function serve({ databaseUrl, upstreamUrl }: PlainOrder): Promise<void> {
  const sql = postgres(databaseUrl, { max: CONNECTIONS, onnotice: () => undefined });
  await sql.unsafe(TABLES);
  const accountOf = accountsByKey(sql);
  const app = fastify({ logger: false });

  app.get<{ Params: { id: string } }>("/v1/videos/generations/:id", async (request, reply) => {
    const account = await accountOf(request.headers.authorization);
    const [row] = await sql<Generation[]>`
      select * from generations where account_id = ${account} and id = ${request.params.id}`;
    if (!row) return reply.code(404).send({ error: "not found" });
    return answerOf(row);
  });
  app.get("/v1/videos/generations", async (request) => {
    const account = await accountOf(request.headers.authorization);
    const rows = await sql<Generation[]>`
      select * from generations where account_id = ${account} order by at desc, id desc limit ${PAGE + 1}`;
    return {
      object: "list",
      data: rows.slice(0, PAGE).map(answerOf),
      has_more: rows.length > PAGE,
    };
  });
  const create = { schema: { body: BODY } };
  app.post<{ Body: Body }>("/v1/videos/generations", create, async ({ headers, body }, reply) => {
    const account = await accountOf(headers.authorization);
    const key = headers["idempotency-key"]?.toString() ?? null;
    const [id, at] = [`vgen_${randomUUID()}`, new Date()];
    const row = await sql.begin(async (tx) => {
      const [made] = await tx<Generation[]>`
        insert into generations
        values (${account}, ${id}, ${key}, 'pending', ${body.model}, ${tx.json(body)}, ${PRICE}, ${at})
        on conflict do nothing returning *`;
      if (!made) {
        const [old] = await tx<Generation[]>`
          select * from generations where account_id = ${account} and idempotency_key = ${key}`;
        return old;
      }
      const [balance] = await tx`
        update accounts set available = available - ${PRICE}, reserved = reserved + ${PRICE}
        where id = ${account} and available >= ${PRICE} returning available`;
      if (!balance) throw new Error("insufficient");
      await tx`
        insert into entries (account_id, generation_id, type, tokens, at)
        values (${account}, ${id}, 'reserve', ${-PRICE}, ${at})`;
      await tx`insert into jobs (account_id, generation_id) values (${account}, ${id})`;
      return made;
    });
    if (!row) throw new Error("the row of the key is not there");
    void reply.code(202);
    return answerOf(row);
  });

  void work(sql, `${upstreamUrl}/jobs`);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  process.send?.({ port } satisfies Ready);
}

/** A key is looked up once a second at most; one that is new gets an account. */
function accountsByKey(sql: postgres.Sql): (header?: string) => Promise<string> {
  const known = new Map<string, { id: string; at: number }>();
  return async (header = "") => {
    const hash = createHash("sha256").update(header).digest("hex");
    const found = known.get(hash);
    if (found && found.at > Date.now() - KEY_KNOWN_MS) return found.id;
    await sql`insert into accounts values (${hash}, ${TOKENS}) on conflict do nothing`;
    const [row] = await sql<{ account_id: string }[]>`
      insert into keys values (${hash}, ${hash})
      on conflict (hash) do update set hash = excluded.hash returning account_id`;
    const id = row?.account_id ?? "";
    known.set(hash, { id, at: Date.now() });
    return id;
  };
}

function answerOf({ id, status, model, tokens, input, at }: Generation): object {
  const common = { id, object: "video.generation", status, model, mode: "live" };
  return { ...common, credits: Number(tokens), progress: 0, output: [], input, created_at: at };
}

async function work(sql: postgres.Sql, upstream: string): Promise<never> {
  let working = 0;
  const submit = async ({ id, account_id: account, generation_id: generation }: Job) => {
    const [row] = await sql<{ input: JSONValue }[]>`
      select input from generations where id = ${generation} and account_id = ${account}`;
    const answer = await fetch(upstream, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(row?.input),
    });
    const { id: upstreamId } = (await answer.json()) as { id: string };
    await sql.begin(async (tx) => {
      await tx`
        update generations set status = 'processing', upstream_id = ${upstreamId}
        where account_id = ${account} and id = ${generation}`;
      await tx`delete from jobs where id = ${id}`;
    });
  };
  for (;;) {
    const free = WORKING - working;
    const jobs =
      free < 1
        ? []
        : await sql<Job[]>`
            update jobs set locked_at = now() where id in (
              select id from jobs where locked_at is null and run_at <= now()
              order by run_at limit ${free} for update skip locked)
            returning *`;
    for (const job of jobs) {
      working += 1;
      void submit(job).finally(() => {
        working -= 1;
      });
    }
    await delay(jobs.length > 0 ? BUSY_REST_MS : IDLE_REST_MS);
  }
}
