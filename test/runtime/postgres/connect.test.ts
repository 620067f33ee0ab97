/** Connections to Postgres: what a frozen process can hold up, and that each has one user at a time. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Limits } from "#runtime/postgres/limits.ts";
import { startDatabaseProxy } from "../../support/tcp-proxy.ts";
import { openPool, testDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";

const LOCK = 20_261_123;
const database = forTests(() => testDatabase("generation"));
let stack = new AsyncDisposableStack();
beforeEach(() => void (stack = new AsyncDisposableStack()));
afterEach(() => stack.disposeAsync());

const connect = (maxConnections: number, limits?: Partial<Limits>, url = database.url) =>
  stack.use(openPool(url, maxConnections, limits));

type Proxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

it.each<[when: string, limits: Partial<Limits>, freeze: (proxy: Proxy) => void]>([
  ["between statements", { idleInTransaction: 1_000, transaction: 0 }, (proxy) => proxy.silence()],
  // The driver sends a new statement first, and its values once Postgres has answered.
  [
    "between the messages of a statement",
    { idleInTransaction: 0, transaction: 1_000 },
    (proxy) => proxy.freezeAfterNext(),
  ],
])(
  "a client that freezes %s of a transaction loses its lock to others",
  async (_when, limits, freeze) => {
    const proxy = stack.use(await startDatabaseProxy(database.url));
    // The frozen client does not close its connection either.
    const frozen = connect(1, { ...limits, silent: 0 }, proxy.through(database.url));
    const other = connect(1, { statement: 60_000, silent: 0 });
    const locked = Promise.withResolvers<void>();
    const ended = frozen.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${LOCK})`;
      freeze(proxy);
      locked.resolve();
      await tx`select ${LOCK}::int as a_new_statement`;
    });
    ended.catch(() => {});
    await locked.promise;
    await other.begin((tx) => tx`select pg_advisory_xact_lock(${LOCK})`);
    proxy.cut();
    await expect(ended).rejects.toThrow("was lost");
  },
);

it("a statement that cannot be sent gives its connection back once", async () => {
  const sql = connect(2);
  const never = new Date(Number.NaN);
  await expect(sql`select ${never}::timestamptz`).rejects.toThrow("Invalid time value");
  await sql`select 1`;
  await sql.begin(async (tx) => {
    const [mine] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const [other] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    expect(other?.pid).not.toBe(mine?.pid);
  });
});

it("a statement that was planned when its table was empty finds its rows by their key when that has grown", async () => {
  const sql = connect(1);
  await sql.begin(async (tx) => {
    await tx`create temporary table items (id integer primary key, value integer)`;
    const readRows = async () => {
      const [row] = await tx<{ rows: bigint }[]>`
          select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relid = 'items'::regclass`;
      return row?.rows ?? 0n;
    };
    const change = (id: number) => tx`
        update items set value = changed.value
        from jsonb_to_recordset(${sql.json([{ id, value: 1 }])}) as changed (id integer, value integer)
        where items.id = changed.id`;
    // After five executions Postgres may keep a plan.
    for (let id = 0; id < 6; id += 1) await change(id);
    await tx`insert into items select generate_series(1, 10000), 0`;
    const before = await readRows();
    for (let id = 1; id <= 6; id += 1) await change(id);
    expect((await readRows()) - before).toBe(6n);
  });
});
