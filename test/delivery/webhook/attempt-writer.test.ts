/** The writer of attempts: what nobody waits for is written with others, and none keeps another from it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMs } from "#runtime/clock.ts";
import { redeliverIfEnded } from "../../../services/delivery/store/webhook-deliveries.ts";
import { attemptWriter } from "../../../services/delivery/webhook/attempt-writer.ts";
import { testDatabase } from "../../support/database.ts";
import { senderBench } from "./fixtures.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

type Bench = Awaited<ReturnType<typeof senderBench>>;

/** Claimed deliveries, and the attempt that each of them was. */
async function claimed(bench: Bench, count: number) {
  for (let i = 0; i < count; i++) await bench.deliver("http://127.0.0.1:1/");
  const lanes = await bench.sender.claim(64);
  const ended = lanes
    .flatMap(({ deliveries }) => deliveries)
    .map((one) => ({
      claimed: one,
      attempt: { at: bench.clock.now(), durationMs: 1, statusCode: 200, responseBody: "ok" },
      verdict: { status: "delivered" as const },
    }));
  expect(ended).toHaveLength(count);
  return ended;
}

const left = async ({ sql }: Bench) =>
  (await sql`select 1 as one from delivery.webhook_queue`).length;

describe("attempts that nobody waits for", () => {
  it("are written a moment later, together", async () => {
    await using bench = await senderBench(database);
    const ended = await claimed(bench, 3);
    const write = attemptWriter(bench);
    const written = Promise.all(ended.map((one) => write(one, { isAwaited: false })));
    bench.clock.advance(24);
    expect(await left(bench)).toBe(3);
    bench.clock.advance(1);
    expect(await written).toEqual(ended.map(() => ({ isOurs: true, disabledUrl: false })));
    expect(await left(bench)).toBe(0);
  });

  it("are written with the next one that somebody waits for", async () => {
    await using bench = await senderBench(database);
    const ended = await claimed(bench, 3);
    const write = attemptWriter(bench);
    await Promise.all(ended.map((one, index) => write(one, { isAwaited: index === 2 })));
    expect(await left(bench)).toBe(0);
  });
});

it("writes the others where one cannot be written, and tells that one's sender", async () => {
  await using bench = await senderBench(database);
  const ended = await claimed(bench, 3);
  const write = attemptWriter(bench);
  const settled = await Promise.allSettled(
    ended.map((one, index) => {
      // No text that Postgres takes.
      const attempt = index === 1 ? { ...one.attempt, responseBody: "\0" } : one.attempt;
      return write({ ...one, attempt }, { isAwaited: index === 2 });
    }),
  );
  expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await left(bench)).toBe(1);
});

it("counts an attempt once where its record is made again, the answer to the first being lost", async () => {
  await using bench = await senderBench(database);
  const [first] = await claimed(bench, 1);
  if (!first) throw new Error("nothing was claimed");
  const nextAttemptAt = addMs(bench.clock.now(), 5_000);
  const ended = { ...first, verdict: { status: "pending" as const, nextAttemptAt } };
  const write = attemptWriter(bench);
  await write(ended, { isAwaited: true });
  await write(ended, { isAwaited: true });
  const [row] = await bench.sql`select attempt_count, next_attempt_at from delivery.webhook_queue`;
  expect(row).toEqual({ attempt_count: 1, next_attempt_at: nextAttemptAt });
});

it("lets the record of an attempt that was redelivered since end nothing", async () => {
  await using bench = await senderBench(database);
  const [ended] = await claimed(bench, 1);
  if (!ended) throw new Error("nothing was claimed");
  const write = attemptWriter(bench);
  await write(ended, { isAwaited: true });
  const owner = { accountId: bench.accountId, mode: "live" as const };
  expect(await redeliverIfEnded(bench.sql, owner, ended.claimed.id, bench.clock.now())).toBe(true);
  await write(ended, { isAwaited: true });
  expect(await left(bench)).toBe(1);
});
