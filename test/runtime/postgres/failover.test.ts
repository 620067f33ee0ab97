/** Services use the primary among several hosts, and get over a server that is killed, restarted or paused. */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { connectPostgres, type Sql } from "#runtime/postgres/connect.ts";
import { LIMITS } from "#runtime/postgres/limits.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { createPostgres, type PostgresHandle } from "../../support/compose/postgres-server.ts";
import { outcome } from "../../support/database.ts";
import { isLong } from "../../support/test-size.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

/** TEST_SIZE=long waits for the limits of production. */
const limits = isLong ? LIMITS : { ...LIMITS, silent: 1_000, connect: 500 };
/** A busy machine keeps no limit that is short. */
const GRACE_MS = isLong ? 1_000 : 10_000;
/** Until every statement on a silent server has failed: 11 s with the limits of production. */
const FAILED_WITHIN_MS = limits.silent + limits.connect + GRACE_MS;
const BACK_WITHIN_MS = isLong ? 3_000 : 30_000;

const stack = new AsyncDisposableStack();
const shared = new URL(inject("superuserUrl"));
const sharedHost = shared.host;
/** Nothing listens here. */
const deadHost = "127.0.0.1:1";
let server: PostgresHandle;
let serverHost: string;
const folder = folderForTests();
beforeAll(async () => {
  const port = await freePort();
  serverHost = `127.0.0.1:${port}`;
  const password = decodeURIComponent(shared.password);
  server = stack.use(await createPostgres(folder, port, password));
  await server.start();
});
afterAll(() => stack.disposeAsync());

function connect(use: AsyncDisposableStack, ...hosts: string[]): Sql {
  const url = inject("superuserUrl").replace(sharedHost, hosts.join(","));
  const sql = connectPostgres({ url, maxConnections: 4, limits }, `test ${randomUUID()}`);
  use.defer(() => sql.end({ timeout: 1 }));
  return sql;
}

const portOf = async (sql: Sql) => {
  const [row] = await sql<{ host: string }[]>`
    select host(inet_server_addr()) || ':' || inet_server_port() as host`;
  return row?.host;
};
const isOk = async (sql: Sql) => (await outcome(sql`select 1`)) === "ok";

it("a host that is dead is passed over", async () => {
  await using use = new AsyncDisposableStack();
  expect(await portOf(connect(use, deadHost, serverHost))).toBe(serverHost);
  expect(await outcome(connect(use, deadHost)`select 1`)).toBe("unavailable");
});

it("a server that was killed is used within 3 s of its return", async () => {
  await using use = new AsyncDisposableStack();
  const sql = connect(use, serverHost);
  const inFlight = [
    outcome(sql`select pg_sleep(60)`),
    outcome(sql.begin((tx) => tx`select pg_sleep(60)`)),
  ];
  const sleeping = () => sql`select from pg_stat_activity where wait_event = 'PgSleep'`;
  await expect.poll(sleeping).toHaveLength(inFlight.length);
  await server.kill();
  expect(new Set(await Promise.all(inFlight))).toEqual(new Set(["unavailable"]));
  let isBack = false;
  const asking = (async () => {
    while (!isBack) await outcome(sql`select 1`);
  })();
  await server.start();
  isBack = true;
  await expect.poll(() => isOk(sql), { timeout: BACK_WITHIN_MS, interval: 10 }).toBe(true);
  await asking;
});

it("a paused server fails statements in time, and is used after that", async () => {
  await using use = new AsyncDisposableStack();
  const sql = connect(use, serverHost);
  await Promise.all(Array.from({ length: 3 }, () => sql`select pg_sleep(0.1)`));
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = current_setting('application_name')`;
  const pids = [await server.pid(), ...rows.map(({ pid }) => pid)];
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) process.kill(pid, name);
  };
  signal("SIGSTOP");
  const pause = use.use(new AsyncDisposableStack());
  pause.defer(() => signal("SIGCONT"));
  const since = performance.now();
  const statements = Array.from({ length: 10 }, () => outcome(sql`select 1`));
  statements.push(outcome(sql.begin((tx) => tx`select 1`)));
  expect(new Set(await Promise.all(statements))).toEqual(new Set(["unavailable"]));
  expect(performance.now() - since).toBeLessThan(FAILED_WITHIN_MS);
  await pause.disposeAsync();
  await expect.poll(() => isOk(sql), { timeout: BACK_WITHIN_MS, interval: 10 }).toBe(true);
});

it("a standby is not taken for the primary, until it is promoted", async () => {
  await using use = new AsyncDisposableStack();
  await server.kill();
  await writeFile(join(folder, "data/standby.signal"), "");
  // Resolves once the server is a primary.
  const promoted = server.start();
  const alone = connect(use, serverHost);
  await expect.poll(() => isOk(alone), { interval: 10 }).toBe(true);
  expect(await portOf(connect(use, serverHost, sharedHost))).toBe(sharedHost);
  const sql = connect(use, deadHost, serverHost);
  expect(await outcome(sql`select 1`)).toBe("unavailable");
  await alone`select pg_promote()`;
  await promoted;
  expect(await portOf(sql)).toBe(serverHost);
});
