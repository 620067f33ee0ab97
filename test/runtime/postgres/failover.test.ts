/** Services use the primary among several hosts, and get over a server that is killed or restarted. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import type { Sql } from "#runtime/postgres/connect.ts";
import { serverStart } from "../../../services/generation/store/row-server.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { createPostgres } from "../../support/compose/postgres-server.ts";
import { openPool, outcome } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";
import { isLong } from "../../support/test-size.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

/** A busy machine keeps no limit that is short. */
const BACK_WITHIN_MS = isLong ? 3_000 : 30_000;

const shared = new URL(inject("superuserUrl"));
const sharedHost = shared.host;
/** Nothing listens here. */
const deadHost = "127.0.0.1:1";
const folder = folderForTests();
const server = forTests(async () => {
  const port = await freePort();
  const made = await createPostgres(folder, port, decodeURIComponent(shared.password));
  await made.start();
  return { ...made, host: `127.0.0.1:${port}` };
});

function connect(use: AsyncDisposableStack, ...hosts: string[]): Sql {
  const url = inject("superuserUrl").replace(sharedHost, hosts.join(","));
  return use.use(openPool(url, 4));
}

const portOf = async (sql: Sql) => {
  const [row] = await sql<{ host: string }[]>`
    select host(inet_server_addr()) || ':' || inet_server_port() as host`;
  return row?.host;
};
const isOk = async (sql: Sql) => (await outcome(sql`select 1`)) === "ok";

it("a host that is dead is passed over", async () => {
  await using use = new AsyncDisposableStack();
  expect(await portOf(connect(use, deadHost, server.host))).toBe(server.host);
  expect(await outcome(connect(use, deadHost)`select 1`)).toBe("unavailable");
});

it("a server that was killed is used within 3 s of its return", async () => {
  await using use = new AsyncDisposableStack();
  const sql = connect(use, server.host);
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

it("a server that one of its processes has brought down has another start, because what it had not written is lost", async () => {
  await using use = new AsyncDisposableStack();
  const sql = connect(use, server.host);
  const start = async () => (await sql<[{ us: bigint }]>`select ${serverStart(sql)} as us`)[0].us;
  const before = await start();
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  process.kill(pid, "SIGKILL");
  const after = () => start().catch(() => before);
  await expect.poll(after, { timeout: BACK_WITHIN_MS }).not.toBe(before);
});

it("a standby is not taken for the primary, until it is promoted", async () => {
  await using use = new AsyncDisposableStack();
  await server.kill();
  await writeFile(join(folder, "data/standby.signal"), "");
  // Resolves once the server is a primary.
  const promoted = server.start();
  const alone = connect(use, server.host);
  await expect.poll(() => isOk(alone), { interval: 10 }).toBe(true);
  expect(await portOf(connect(use, server.host, sharedHost))).toBe(sharedHost);
  const sql = connect(use, deadHost, server.host);
  expect(await outcome(sql`select 1`)).toBe("unavailable");
  await alone`select pg_promote()`;
  await promoted;
  expect(await portOf(sql)).toBe(server.host);
});
