/** Creates of the same ids that reach several processes at the same moment. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import type { NewGeneration } from "../../../services/generation/store/creates.ts";
import { batchedWrites, type Writes } from "../../../services/generation/store/writes.ts";
import { testDatabase } from "../../support/database.ts";

const ROUNDS = 5;
const ROWS = 200;
const AT = new Date("2126-11-21T12:00:00Z");
const stack = new AsyncDisposableStack();
let processes: Writes[];

beforeAll(async () => {
  const { url } = stack.use(await testDatabase("generation"));
  processes = [1, 2].map(() => {
    const sql = connectPostgres({ url, maxConnections: 4 }, "test");
    stack.defer(() => sql.end());
    return batchedWrites(sql);
  });
});
afterAll(() => stack.disposeAsync());

const newRow = (accountId: string): NewGeneration => ({
  accountId,
  id: randomId("vgen"),
  kind: "video",
  mode: "live",
  model: "alpha-2.0",
  input: { prompt: "x" },
  defaulted: [],
  tokens: 1n,
  keyId: null,
  requestId: null,
  traceparent: null,
  attempt: 1,
  status: "pending",
  createdAt: AT,
  startedAt: null,
  queueUntil: AT,
  insertBy: AT,
});

it("are stored once each, in whatever order they come", async () => {
  const [one, other] = processes;
  for (let round = 0; round < ROUNDS; round++) {
    const accountId = randomId("acct");
    const rows = Array.from({ length: ROWS }, () => newRow(accountId));
    const stored = await Promise.all([
      ...rows.map((row) => one?.insert(row)),
      ...rows.toReversed().map((row) => other?.insert(row)),
    ]);
    expect(stored.filter((row) => row !== undefined)).toHaveLength(ROWS);
  }
});
