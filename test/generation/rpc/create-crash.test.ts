/** A create that is cut off or paused between its hold and its row, and the comparison of holds with generations. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { randomId } from "#runtime/id.ts";
import { compareHolds, sweepHolds, sweepJob } from "../../../services/generation/holds/holds.ts";
import { isDown, pendingCall, refusalOf, useHarness, videoRequest } from "../fixture.ts";
import { running } from "../../support/scripted-provider.ts";

const h = useHarness();

let last: Hold | undefined;
let call: ReturnType<typeof videoRequest>;
beforeEach(async () => {
  call = videoRequest(h.accountId);
  last = await sweepHolds(h.deps, last);
});

const create = (more: object = {}) => h.client.createVideo({ ...call, ...more });
const found = () => refusalOf(h.client.getGeneration({ ...call, kind: Kind.VIDEO }));

/** What is there when the process dies between the two statements. */
async function cutOff(): Promise<void> {
  const restore = h.replace("writes", { insert: isDown });
  await refusalOf(create());
  restore();
  expect(await h.balance(call.accountId)).toEqual([500n, 500n]);
}

/** As the sweep does every 15 s. */
async function sweepAfter(ms: number): Promise<void> {
  h.clock.advance(ms);
  last = await sweepHolds(h.deps, last);
}

/** Makes the account's holds so old by the clock of the database, which says until when a row may come. */
async function age(interval: string): Promise<void> {
  // The harness's clock is far ahead, and so is where the sweep has come to.
  last = undefined;
  await h.owner`
    update billing.holds set created_at = clock_timestamp() - ${interval}::interval
    where account_id = ${call.accountId}`;
}

const holds = async () => {
  const rows = await h.owner<{ hold: string }[]>`
    select attempt || ' ' || state as hold from billing.holds
    where account_id = ${call.accountId} order by attempt`;
  return rows.map(({ hold }) => hold);
};

describe("a create that was cut off between its hold and its row", () => {
  it("stores no row on a server that may not have its hold, and the retry does", async () => {
    const { rowServer } = h.deps;
    const [first, later] = [1n, await rowServer.started()];
    const started = vi.fn<() => Promise<bigint>>(async () => later).mockResolvedValueOnce(first);
    h.deps.rowServer = { started, forget: () => {} };
    expect(await refusalOf(create())).toBe(ErrorReason.UNAVAILABLE);
    expect(await found()).toBe(ErrorReason.NOT_FOUND);
    expect(await create()).toMatchObject({ replayed: false });
    expect(await holds()).toEqual(["1 held"]);
    h.deps.rowServer = rowServer;
  });

  it("is finished by a retry of its key within 30 s, with the same hold", async () => {
    await cutOff();
    await age("29 s");
    expect(await create()).toMatchObject({ replayed: false, generation: { credits: 500n } });
    expect(await holds()).toEqual(["1 held"]);
    expect(await h.balance(call.accountId)).toEqual([500n, 500n]);
  });

  it("is refused after 30 s until the sweep has run, and then made anew, with the next hold", async () => {
    await cutOff();
    await age("31 s");
    expect(await refusalOf(create())).toBe(ErrorReason.UNAVAILABLE);
    expect(await found()).toBe(ErrorReason.NOT_FOUND);
    await sweepAfter(75_000);
    expect(await h.balance(call.accountId)).toEqual([1_000n, 0n]);
    expect(await create()).toMatchObject({ replayed: false });
    expect(await holds()).toEqual(["1 released", "2 held"]);
    await h.sendAndPoll();
    expect(await h.balance(call.accountId)).toEqual([500n, 0n]);
  });

  it("is restored within 75 s where nobody asks again: nothing is visible, nothing is held, nothing is charged", async () => {
    await cutOff();
    await sweepAfter(59_000);
    expect(await h.balance(call.accountId)).toEqual([500n, 500n]);
    await sweepAfter(15_000);
    expect(await h.balance(call.accountId)).toEqual([1_000n, 0n]);
    expect(await found()).toBe(ErrorReason.NOT_FOUND);
    h.clock.advance(180_000);
    expect((await compareHolds(h.deps)).discrepancies).toEqual([]);
  });

  it("is refused, to be tried again, where its retry has another price", async () => {
    await cutOff();
    expect(await refusalOf(create({ model: "alpha-2.0" }))).toBe(ErrorReason.UNAVAILABLE);
    await sweepAfter(75_000);
    expect(await create({ model: "alpha-2.0" })).toMatchObject({ generation: { credits: 210n } });
    expect(await h.balance(call.accountId)).toEqual([790n, 210n]);
  });
});

describe("the sweep", () => {
  it("waits for a write that is still open, whose generation may show later", async () => {
    await cutOff();
    await h.sql.begin(async (tx) => {
      await tx`select pg_current_xact_id()`;
      h.clock.advance(180_000);
      expect(await refusalOf(sweepHolds(h.deps, last))).toBe(ErrorReason.UNAVAILABLE);
      expect(await refusalOf(h.client.reconcile({ release: true }))).toBe(ErrorReason.UNAVAILABLE);
      expect(await h.balance(call.accountId)).toEqual([500n, 500n]);
    });
    await sweepAfter(0);
    expect(await h.balance(call.accountId)).toEqual([1_000n, 0n]);
  });

  it("looks at all open holds again after 20 runs: a failover may have set back the clock, or lost the last one", async () => {
    const { run } = sweepJob(h.deps);
    const runs = async (count: number) => {
      for (let i = 0; i < count; i++) await run(new AbortController().signal);
    };
    await h.client.createVideo(videoRequest(await h.account(1_000n)));
    h.clock.advance(75_000);
    await runs(1);
    await cutOff();
    await age("1 h");
    await runs(19);
    expect(await holds()).toEqual(["1 held"]);
    await runs(1);
    expect(await holds()).toEqual(["1 released"]);
  });

  it("leaves the holds of generations alone, whatever their age", async () => {
    await create();
    await sweepAfter(3_600_000);
    expect(await h.balance(call.accountId)).toEqual([500n, 500n]);
  });

  it("goes on where it has come to, and looks again at what it could not release", async () => {
    await cutOff();
    const restore = h.replace("billing", { release: isDown });
    await expect(sweepAfter(75_000)).rejects.toThrow("no connection");
    restore();
    await sweepAfter(0);
    expect(await h.balance(call.accountId)).toEqual([1_000n, 0n]);
    const { listOpenHolds } = h.deps.billing;
    const list = vi.fn<typeof listOpenHolds>(listOpenHolds);
    h.replace("billing", { listOpenHolds: list });
    await sweepAfter(0);
    const [page] = list.mock.settledResults;
    expect(page).toMatchObject({ value: { holds: [] } });
    expect(list).toHaveBeenCalledOnce();
  });

  it("ends creates that a replica of 1.0.0 has not acknowledged, and what they hold", async () => {
    await h.sql`
      insert into generation.tasks (account_id, id, kind, mode, model, tokens, attempt, step, next_step_at, created_at,
        input, defaulted)
      values (${call.accountId}, ${call.generationId}, 'video', 'live', ${call.model}, 500, 1, 'reserve',
        ${h.clock.now()}, ${h.clock.now()}, '{}', '{}')`;
    await h.billing.reserve({ hold: holdOf(call.generationId), tokens: 500n });
    await h.drain();
    expect(await refusalOf(create())).toBe(ErrorReason.UNAVAILABLE);
    await sweepAfter(75_000);
    const tasks = await h.sql`select from generation.tasks where account_id = ${call.accountId}`;
    expect(tasks).toHaveLength(0);
    expect(await h.balance(call.accountId)).toEqual([1_000n, 0n]);
  });
});

describe("a create that was paused", () => {
  it("and wakes after a retry was made is answered with the retry's generation", async () => {
    const { reserve } = h.deps.billing;
    const { call: pause, made: isHeld, answer: resume } = pendingCall<void>();
    const restore = h.replace("billing", {
      reserve: async (...args) => {
        const reserved = await reserve(...args);
        await pause();
        return reserved;
      },
    });
    const paused = create();
    await isHeld;
    restore();
    expect(await create()).toMatchObject({ replayed: false });
    resume();
    expect(await paused).toMatchObject({ replayed: true, generation: { status: Status.PENDING } });
    expect(await h.balance(call.accountId)).toEqual([500n, 500n]);
  });

  it("and wakes when its hold may be released inserts nothing: the database's clock refuses it", async () => {
    const { reserve } = h.deps.billing;
    const restore = h.replace("billing", {
      reserve: async (...args) => {
        await reserve(...args);
        await age("30 s");
        return reserve(...args);
      },
    });
    expect(await refusalOf(create())).toBe(ErrorReason.UNAVAILABLE);
    restore();
    expect(await found()).toBe(ErrorReason.NOT_FOUND);
    await sweepAfter(0);
    await sweepAfter(75_000);
    expect(await h.balance(call.accountId)).toEqual([1_000n, 0n]);
  });
});

const holdOf = (generationId: string) => ({
  accountId: h.accountId,
  mode: Mode.LIVE,
  generationId,
  attempt: 1,
});

describe("the comparison of holds with generations", () => {
  it("finds no difference at any stage of a generation's life", async () => {
    // What earlier tests made is old enough, too.
    h.clock.advance(3 * 60_000);
    const before = await compareHolds(h.deps);
    h.provider.onPoll = () => running(1_000);
    await h.createVideo();
    await h.drain();
    await h.createVideo();
    const restore = h.replace("billing", { reserve: isDown });
    await h.createVideo().catch(() => {});
    restore();
    h.clock.advance(3 * 60_000);
    const { holds, generations, discrepancies } = await compareHolds(h.deps);
    expect(discrepancies).toEqual([]);
    expect([holds, generations]).toEqual([before.holds + 2, before.generations + 2]);
  });

  it("finds a hold without its generation and a generation without its hold", async () => {
    const missing = randomId("vgen");
    await h.billing.reserve({ hold: holdOf(missing), tokens: 5n });
    const { generationId } = await h.createVideo();
    await h.billing.release({ hold: holdOf(generationId) });
    expect((await compareHolds(h.deps)).discrepancies).toEqual([]);
    h.clock.advance(3 * 60_000);
    const { discrepancies } = await compareHolds(h.deps);
    expect(discrepancies.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { ...holdOf(generationId), kind: "generation_without_hold" },
      { ...holdOf(missing), kind: "hold_without_generation" },
    ]);
  });

  it("releases a hold without its generation if it is told to, and no other", async () => {
    const missing = randomId("vgen");
    await h.billing.reserve({ hold: holdOf(missing), tokens: 5n });
    const { generationId: unfinished } = await h.createVideo();
    const { generationId: ended } = await h.createVideo();
    await h.deps.sql`
      update generation.generations set status = 'success', completed_at = ${h.clock.now()} where id = ${ended}`;
    await h.deps.sql`delete from generation.tasks where id = ${ended}`;
    h.clock.advance(3 * 60_000);
    const ids = [missing, unfinished, ended];
    const isOpen = async () => (await h.billing.checkHolds({ holds: ids.map(holdOf) })).open;
    const found = async (release: boolean) => {
      const { discrepancies } = await h.client.reconcile({ release });
      return discrepancies
        .filter(({ generationId }) => ids.includes(generationId))
        .map(({ kind, released }) => `${kind} ${released ? "released" : "open"}`)
        .toSorted();
    };
    const other = "hold_of_ended_generation open";
    expect(await found(false)).toEqual([other, "hold_without_generation open"]);
    expect(await isOpen()).toEqual([true, true, true]);
    expect(await found(true)).toEqual([other, "hold_without_generation released"]);
    expect(await isOpen()).toEqual([false, true, true]);
    expect(await found(true)).toEqual([other]);
  });
});
