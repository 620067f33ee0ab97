/** What the request log writes and drops, and the days that it keeps. */
import { addMs } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import {
  MAX_IDLE_A_TURN,
  MAX_WAITING,
  requestLog,
} from "../../../services/gateway/accounts/request-log.ts";
import {
  keepRequestDays,
  type AnsweredRequest,
} from "../../../services/gateway/store/request-log.ts";
import { connectedDatabase } from "../../support/database.ts";
import { forTests } from "../../support/for-tests.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const NOW = new Date("2026-11-25T23:59:59.500Z");

const database = forTests(() => connectedDatabase("gateway", 2));
/** Another replica's. */
const other = forTests(() => {
  const sql = connectPostgres({ url: database.url, maxConnections: 2 }, "test");
  return { sql, [Symbol.asyncDispose]: () => sql.end() };
});

const keepDays = (now: Date, count: number, sql = database.sql) => keepRequestDays(sql, now, count);

beforeEach(() => keepDays(addMs(NOW, 1_000 * DAY_MS), 0));

const answered = (of: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  at: NOW,
  durationMs: 3,
  status: 200,
  accountId: "acct_1",
  mode: "test",
  keyId: "key_1",
  requestId: "req_12345678",
  method: "POST",
  path: "/v1/models",
  errorCode: undefined,
  errorParam: undefined,
  errorMessage: undefined,
  generationId: undefined,
  ...of,
});

function newLog() {
  const dropped: Record<string, number> = {};
  const countDropped = (cause: string, requests: number) => {
    dropped[cause] = (dropped[cause] ?? 0) + requests;
  };
  const log = createLog("test", "silent");
  return { dropped, ...requestLog({ sql: database.sql, log, countDropped }) };
}

const days = async () => {
  const found = await database.owner<{ name: string }[]>`
    select relid::text as name from pg_partition_tree('gateway.request_log') where isleaf order by 1`;
  return found.map(({ name }) => name.replace("gateway.request_log_", ""));
};

const rows = () => database.owner<{ at: Date; path: string; status: number }[]>`
  select at, path, status from gateway.request_log order by seq`;

describe("the days of the request log", () => {
  it("are today and two that come, and those that are not older than what is kept", async () => {
    await keepDays(NOW, 2);
    expect(await days()).toEqual(["20261125", "20261126", "20261127"]);
    await keepDays(addMs(NOW, 2 * DAY_MS), 2);
    const all = ["20261125", "20261126", "20261127", "20261128", "20261129"];
    expect(await days()).toEqual(all);
    await keepDays(addMs(NOW, 3 * DAY_MS), 2);
    expect(await days()).toEqual([...all.slice(1), "20261130"]);
  });

  it("are dropped when none are kept any more, and none come", async () => {
    await keepDays(NOW, 2);
    await keepDays(addMs(NOW, DAY_MS), 0);
    expect(await days()).toEqual(["20261126", "20261127"]);
    await keepDays(addMs(NOW, 3 * DAY_MS), 0);
    expect(await days()).toEqual([]);
  });

  it("are made and dropped once by replicas that do it at the same time", async () => {
    for (let turn = 0; turn < 5; turn++) {
      const now = addMs(NOW, turn * 3 * DAY_MS);
      const replicas = [database.sql, other.sql, database.sql, other.sql];
      await Promise.all(replicas.map((sql) => keepDays(now, 1, sql)));
      expect(await days()).toHaveLength(turn === 0 ? 3 : 4);
    }
  });

  it("come while others write", async () => {
    await keepDays(NOW, 2);
    await database.owner.begin(async (tx) => {
      await tx`lock table gateway.request_log in row exclusive mode`;
      await keepDays(addMs(NOW, DAY_MS), 2);
    });
    expect(await days()).toHaveLength(4);
  });
});

describe("the request log", () => {
  beforeEach(() => keepDays(NOW, 2));

  it("writes what waits in one turn, once", async () => {
    const log = newLog();
    for (let index = 0; index < 1_100; index++) log.record(answered({ path: `/v1/${index}` }));
    await log.flush();
    const written = await rows();
    expect(written).toHaveLength(1_100);
    expect(written.at(-1)).toEqual({ at: NOW, path: "/v1/1099", status: 200 });
    await log.flush();
    expect(await rows()).toHaveLength(1_100);
    expect(log.dropped).toEqual({});
  });

  it("drops and counts what it has no room for, and what Postgres refuses", async () => {
    const log = newLog();
    for (let index = 0; index < MAX_WAITING + 7; index++)
      log.record(answered({ durationMs: 2 ** 31 }));
    expect(log.dropped).toEqual({ postgres: 7 });
    await log.flush();
    expect(log.dropped).toEqual({ postgres: 7 + 500 });
  });

  it.each([
    { what: "refusals by the rate limit", method: "POST", status: 429 },
    { what: "successful reads", method: "GET", status: 200 },
  ])("keeps an account's share of $what a turn, and all else", async ({ method, status }) => {
    const log = newLog();
    const idle = { method, status };
    const answers = Array.from({ length: MAX_IDLE_A_TURN + 5 }, () => log.record(answered(idle)));
    expect(answers.filter((isKept) => !isKept)).toHaveLength(5);
    log.record(answered({ ...idle, accountId: "acct_other" }));
    const others = [
      { method: "GET", status: 404 },
      { method: "POST", status: 202 },
      { method: "DELETE", status: 204 },
    ];
    for (const other of others) log.record(answered(other));
    await log.flush();
    expect(log.dropped).toEqual({ share: 5 });
    const kept = MAX_IDLE_A_TURN + 1 + others.length;
    expect(await rows()).toHaveLength(kept);
    log.record(answered(idle));
    await log.flush();
    expect(await rows()).toHaveLength(kept + 1);
  });
});
