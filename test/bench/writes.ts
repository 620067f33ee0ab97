/** Counts what a video and an image cost Postgres, one at a time: statements, commits and bytes of write-ahead log. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { clientOf } from "../support/customer.ts";
import { startChild } from "./api-children.ts";
import { FINISHING_PROMPT, IMAGE, VIDEO } from "./api-rows.ts";
import type { ServersReady } from "./api-servers.ts";
import { openAccounts, startService } from "./api-service.ts";
import { benchDatabase } from "./bench-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "40" },
    /** Prints each statement. */
    statements: { type: "boolean", default: false },
  },
});
const COUNT = Number(values.count);
const WARM_UP = 5;
const RUNNING = 40;
/** More calls of a statement are looks at the queue by time. */
const MAX_CALLS = 2;
const say = (text: string) => process.stdout.write(`${text}\n`);

type Statement = { query: string; calls: number; bytes: number };

await using stack = new AsyncDisposableStack();
const servers = stack.use(startChild("api-servers.ts"));
const { upstreamUrl } = await servers.message<ServersReady>();
const folder = stack.use(await temporaryFolder());
const database = stack.use(
  await benchDatabase({ shared_preload_libraries: "pg_stat_statements", full_page_writes: "off" }),
);
const admin = postgres(database.adminUrl, { max: 1 });
stack.defer(() => admin.end());
await admin`create extension pg_stat_statements`;
const started = await startService({
  folder: join(folder.path, "service"),
  upstreamUrl,
  isApart: false,
  database,
});
const service = stack.use(started.service);
const [key = ""] = await openAccounts(service, 1);
const client = clientOf(service.url, key);

await count("video", COUNT, async () => {
  const { id } = await client.videos.create({ ...VIDEO, prompt: FINISHING_PROMPT });
  await client.videos.wait(id);
});
await count("image", COUNT, () => client.images.create(IMAGE));
await countPolls();

/** Statements that are made for each one are counted, what the service does beside that is not. */
async function count(name: string, made: number, make: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < WARM_UP; i++) await make();
  await admin`select pg_stat_statements_reset()`;
  for (let i = 0; i < made; i++) await make();
  const statements = (await read()).filter(({ calls }) => calls >= made * 0.8);
  const calls = sum(statements, (one) => Math.min(Math.round(one.calls / made), MAX_CALLS));
  const bytes = Math.round(sum(statements, (one) => one.bytes) / made);
  say(`${name}: ${calls} statements, ${bytes} bytes of write-ahead log`);
  if (values.statements) for (const one of statements) say(lineOf(one, made));
}

/** What each poll of a running video writes: its claim, and when it is due again. */
async function countPolls(): Promise<void> {
  for (let i = 0; i < RUNNING; i++) await client.videos.create(VIDEO);
  await delay(2_000);
  await admin`select pg_stat_statements_reset()`;
  await delay(10_000);
  const statements = (await read()).filter(({ query }) => query.includes("generation."));
  const polls = sum(statements, (one) => (query(one).includes("set progress =") ? one.calls : 0));
  say(`poll: ${Math.round(sum(statements, (one) => one.bytes) / polls)} bytes, of ${polls} polls`);
}

function read(): Promise<Statement[]> {
  return admin<Statement[]>`
    select query, calls::int, wal_bytes::float8 as bytes from pg_stat_statements
    join pg_roles on pg_roles.oid = userid
    where rolname like 'media_%' and query !~* '^(begin|commit|rollback)'
    order by calls desc`;
}

function query(one: Statement): string {
  return one.query.replaceAll(/\s+/g, " ");
}

function lineOf(one: Statement, made: number): string {
  const [calls, bytes] = [one.calls / made, Math.round(one.bytes / made)];
  return `${calls.toFixed(1).padStart(6)} ${String(bytes).padStart(6)}  ${query(one).slice(0, 110)}`;
}

function sum(statements: readonly Statement[], of: (one: Statement) => number): number {
  return statements.reduce((total, one) => total + of(one), 0);
}
