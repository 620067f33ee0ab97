/**
 * Connections to Postgres: services get over a Postgres that dies, and a path to it that is cut or silent, soon and
 * without help; a frozen process holds nothing up, and a connection has one user at a time.
 */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { connectPostgres, type Sql, type Transaction } from "#runtime/postgres/connect.ts";
import { type Limits, allowMuch } from "#runtime/postgres/limits.ts";
import { outcome, testDatabase } from "../../support/database.ts";
import { startDatabaseProxy } from "../../support/tcp-proxy.ts";
import { forTests } from "../../support/for-tests.ts";

const database = forTests(() => testDatabase("billing"));
let stack = new AsyncDisposableStack();
beforeEach(() => void (stack = new AsyncDisposableStack()));
afterEach(() => stack.disposeAsync());

function connect(maxConnections: number, limits: Partial<Limits> = {}, url = database.url): Sql {
  const sql = connectPostgres({ url, maxConnections, limits }, "test");
  stack.defer(() => sql.end({ timeout: 0 }));
  return sql;
}

/** A pool before a proxy, and one without. */
async function setUp(maxConnections: number, limits?: Partial<Limits>) {
  const proxy = stack.use(await startDatabaseProxy(database.url));
  const sql = connect(maxConnections, limits, proxy.through(database.url));
  return { proxy, sql, direct: connect(maxConnections, limits) };
}

const answers = (sql: Sql) => outcome(sql`select 1`);

const statement = (sql: Sql | Transaction) => sql`select ${["a"]}::text[]`;

/** Two connections of the pool are free then. Returns the ids of their processes. */
async function openTwo(sql: Sql): Promise<number[]> {
  const both = Promise.withResolvers<void>();
  let open = 0;
  const hold = () =>
    sql.begin(async (tx) => {
      const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      if (++open === 2) both.resolve();
      await both.promise;
      return row?.pid ?? 0;
    });
  return Promise.all([hold(), hold()]);
}

/** Below this number of bytes from the server a connection is not ready, whatever it is for. */
const READY = 600;

describe("a connection that is lost", () => {
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => void uncaught.push(error);
  beforeAll(() => {
    process.on("uncaughtException", onUncaught).on("unhandledRejection", onUncaught);
  });
  beforeEach(() => void uncaught.splice(0));
  afterAll(() => {
    process.off("uncaughtException", onUncaught).off("unhandledRejection", onUncaught);
  });

  it.each<[string, number, (sql: Sql) => Promise<unknown>]>([
    ["a statement", 0, statement],
    [
      "a transaction",
      READY,
      (sql) => sql.begin(async (tx) => [await statement(tx), await statement(tx)]),
    ],
  ])(
    "after any number of bytes of %s fails it, and throws nothing where nobody can catch it",
    async (_, from, use) => {
      const proxy = stack.use(await startDatabaseProxy(database.url));
      const url = proxy.through(database.url);
      const outcomes: string[] = [];
      for (let bytes = from; outcomes.at(-1) !== "ok"; bytes += 23) {
        proxy.cutAfter(bytes);
        const sql = connectPostgres({ url, maxConnections: 1 }, "test");
        outcomes.push(await outcome(use(sql)));
        await sql.end({ timeout: 0 });
      }
      expect(new Set(outcomes)).toEqual(new Set(["unavailable", "ok"]));
      expect(uncaught).toEqual([]);
    },
  );

  it("within a transaction that goes on after its statement has failed throws nothing either", async () => {
    const { proxy, sql, direct } = await setUp(1);
    const transaction = sql.begin((tx) => tx`select pg_sleep(60)`.catch(() => {}));
    const sleeping = () => direct`
      select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    await expect.poll(sleeping).toHaveLength(1);
    // The driver gives a lost connection up a millisecond later, which would hide on a slow machine what it did before.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    stack.defer(() => void vi.useRealTimers());
    proxy.cut();
    expect(await outcome(transaction)).toBe("unavailable");
    await endOfTurn();
    expect(uncaught).toEqual([]);
  });
});

it("connections that are cut fail what is in flight, in and outside of transactions, and nothing after that", async () => {
  const { sql, proxy } = await setUp(4);
  await sql`select 1`;
  const inFlight = [
    outcome(sql`select pg_sleep(60)`),
    outcome(sql.begin((tx) => tx`select pg_sleep(60)`)),
    outcome(
      sql.begin(async (tx) => {
        await tx`select 1`;
        await inFlight[0];
        await tx`select 1`;
      }),
    ),
  ];
  await expect.poll(proxy.connections).toBe(3);
  proxy.cut();
  expect(await Promise.all(inFlight)).toEqual(Array.from(inFlight, () => "unavailable"));
  const after = Array.from({ length: 20 }, () => answers(sql));
  expect(new Set(await Promise.all(after))).toEqual(new Set(["ok"]));
});

describe("connections that fall silent", () => {
  it("are given up, with what waits for them, and replaced", async () => {
    const { sql, proxy } = await setUp(2, { silent: 1_500 });
    await openTwo(sql);
    proxy.silence();
    const first = await Promise.all([answers(sql), outcome(sql.begin((tx) => tx`select 1`))]);
    expect(first).toEqual(["unavailable", "unavailable"]);
    expect(await answers(sql)).toBe("ok");
  });

  it("are closed when nobody uses them, also after a transaction that had more time", async () => {
    const { sql, proxy } = await setUp(2, { silent: 1_500 });
    await sql.begin((tx) => allowMuch(tx, 60_000));
    await expect.poll(proxy.connections).toBe(0);
    expect(await answers(sql)).toBe("ok");
  });
});

describe("a process that stood still for longer than a connection may be silent", () => {
  const SILENT_MS = 1_500;
  const standStill = () =>
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * SILENT_MS);

  it("reads the answers that have arrived meanwhile, has its next statement answered, and still notices silence", async () => {
    const { sql, direct } = await setUp(2, { silent: SILENT_MS });
    const pids = await openTwo(direct);
    const next = Promise.withResolvers<string>();
    const before = direct.begin(async (tx) => {
      const answer = outcome(tx`select 1`);
      // When the event loop goes on, this timer is over, and after it those of both connections.
      setTimeout(() => next.resolve(answers(direct)), SILENT_MS / 2);
      // Right after the driver's own `setImmediate`, which writes the statement: before an answer can be read.
      process.nextTick(() => setImmediate(standStill));
      return answer;
    });
    expect([await outcome(before), await next.promise]).toEqual(["ok", "ok"]);
    const open = () => sql`select pid from pg_stat_activity where pid = any(${pids})`;
    await expect.poll(open).toEqual([]);
  });
});

describe("a statement", () => {
  it("has the time that its transaction was given, and no other has", async () => {
    const { sql } = await setUp(1, { statement: 1_000, silent: 1_500, transaction: 1_500 });
    const sleeps = sql.begin(async (tx) => {
      await allowMuch(tx, 60_000);
      await tx`select pg_sleep(2)`;
    });
    expect(await outcome(sleeps)).toBe("ok");
    const limits = sql`
      select current_setting('statement_timeout') as statement, current_setting('transaction_timeout') as transaction`;
    expect(await limits).toEqual([{ statement: "1s", transaction: "1500ms" }]);
    const tooLong = sql.begin(async (tx) => {
      await allowMuch(tx, 100);
      await tx`select pg_sleep(60)`;
    });
    expect(await outcome(tooLong)).toBe("unavailable");
  });

  it("does not wait long for a free connection", async () => {
    const { sql } = await setUp(1, { wait: 1_500 });
    const release = Promise.withResolvers<void>();
    const held = sql.begin(() => release.promise);
    expect(await answers(sql)).toBe("unavailable");
    release.resolve();
    await held;
    expect(await answers(sql)).toBe("ok");
  });
});

type Proxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

const LOCK = 20_261_123;

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
