/** The attempt writer: one that fails does not affect the others. */
import { describe, expect, it } from "vitest";
import { addMs } from "#runtime/clock.ts";
import { redeliverIfNotDue } from "../../../services/delivery/store/webhook-deliveries.ts";
import { attemptWriter } from "../../../services/delivery/webhook/receiver.ts";
import { deliveryDatabase, senderFixture } from "./sender-fixture.ts";

const database = deliveryDatabase();

type Fixture = Awaited<ReturnType<typeof senderFixture>>;

/** Claims new deliveries, and returns a successful attempt for each. */
async function claimAttempts(fixture: Fixture, count: number) {
  for (let i = 0; i < count; i++) await fixture.deliver("http://127.0.0.1:1/");
  const slots = await fixture.sender.claim(64);
  const ended = slots
    .flatMap(({ deliveries }) => deliveries)
    .map((one) => ({
      claimed: one,
      attempt: { at: fixture.clock.now(), durationMs: 1, statusCode: 200, responseBody: "ok" },
      outcome: { status: "delivered" as const },
    }));
  expect(ended).toHaveLength(count);
  return ended;
}

const left = async ({ sql }: Fixture) =>
  (await sql`select 1 as one from delivery.webhook_deliveries where status = 'pending'`).length;

describe("the attempt writer", () => {
  it("writes the other attempts if one cannot be written, and rejects only that one", async () => {
    await using fixture = await senderFixture(database());
    const ended = await claimAttempts(fixture, 3);
    const write = attemptWriter(fixture.sql);
    const settled = await Promise.allSettled(
      ended.map((one, index) => {
        // Postgres refuses NUL characters.
        const attempt = index === 1 ? { ...one.attempt, responseBody: "\0" } : one.attempt;
        return write({ ...one, attempt });
      }),
    );
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await left(fixture)).toBe(1);
  });

  it("counts an attempt once if it is recorded twice", async () => {
    await using fixture = await senderFixture(database());
    const [first] = await claimAttempts(fixture, 1);
    if (!first) throw new Error("nothing was claimed");
    const nextAttemptAt = addMs(fixture.clock.now(), 5_000);
    const ended = { ...first, outcome: { status: "pending" as const, nextAttemptAt } };
    const write = attemptWriter(fixture.sql);
    await write(ended);
    await write(ended);
    const [row] =
      await fixture.sql`select attempts, next_attempt_at from delivery.webhook_deliveries`;
    expect(row).toEqual({ attempts: 1, nextAttemptAt });
  });

  it("does not end a redelivered delivery by recording an earlier attempt again", async () => {
    await using fixture = await senderFixture(database());
    const [ended] = await claimAttempts(fixture, 1);
    if (!ended) throw new Error("nothing was claimed");
    const write = attemptWriter(fixture.sql);
    await write(ended);
    const owner = { accountId: fixture.accountId, mode: "live" as const };
    expect(await redeliverIfNotDue(fixture.sql, owner, ended.claimed.id, fixture.clock.now())).toBe(
      true,
    );
    await write(ended);
    expect(await left(fixture)).toBe(1);
  });
});
