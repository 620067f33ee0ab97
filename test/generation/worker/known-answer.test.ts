/** What an upstream has certainly answered is not forgotten when Postgres cannot be written to at that moment. */
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { DatabaseUnavailable } from "#runtime/postgres/limits.ts";
import type { GenerationRow } from "../../../services/generation/domain/generation.ts";
import type { Job, Submitted } from "../../../services/generation/providers/provider.ts";
import { runTask } from "../../../services/generation/worker/worker.ts";
import { running, scriptedUpstream } from "../../support/scripted-provider.ts";
import { useHarness, useUpstreams } from "../fixture.ts";

/** Shorter than the lease, so that no other worker claims the task. */
const OUTAGE_MS = 6_000;
const RENEW_MS = 3_000;

const REFUSED = {
  kind: "refused",
  failure: { code: "content_rejected", message: "Not allowed." },
} as const;
const UNAVAILABLE = { kind: "rejected", fault: "unavailable" } as const;
/** Each submit makes another job. */
const accepted = ({ token }: Pick<Job, "token">) =>
  ({ kind: "accepted", upstreamId: `job ${token}` }) as const;

const h = useHarness({ tokens: 2_000n });
const [one, other] = [scriptedUpstream("one"), scriptedUpstream("other")];
useUpstreams(h, one, other);

/**
 * `one` gives this answer to its first submit, and accepts the others. With it an outage of Postgres begins, in which
 * each pause of a worker passes at once, after `onPause`. `pausedMs`: those pauses.
 */
function outageWith(
  answer: Submitted | typeof accepted,
  outageMs: number,
  onPause: () => void | Promise<void> = () => {},
) {
  let endsAt = h.clock.now();
  const isOver = () => h.clock.now() >= endsAt;
  const pausedMs: number[] = [];
  const check = () => {
    if (!isOver()) throw new DatabaseUnavailable("the connection was lost");
  };
  const breakable =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      check();
      return call(...args);
    };
  const { update, decide, accept } = h.deps.writes;
  h.replace("writes", {
    update: breakable(update),
    decide: breakable(decide),
    accept: breakable(accept),
  });
  h.deps.sql = new Proxy(h.deps.sql, {
    apply: (target, self, args: unknown[]) => {
      check();
      return Reflect.apply(target, self, args) as unknown;
    },
  });
  const sleep = h.clock.sleep.bind(h.clock);
  h.clock.sleep = async (ms, signal) => {
    if (isOver() || ms === RENEW_MS) return sleep(ms, signal);
    if (pausedMs.length === 0) await onPause();
    pausedMs.push(ms);
    return h.clock.advance(ms);
  };
  one.provider.onSubmit = (job) => {
    one.provider.onSubmit = accepted;
    endsAt = addMs(h.clock.now(), outageMs);
    return typeof answer === "function" ? answer(job) : answer;
  };
  return { pausedMs };
}

/** Creates a task and lets one worker, which `stop` stops, run it. */
async function claimed(options: Parameters<typeof h.createVideo>[0] = {}) {
  const task = await h.createVideo(options);
  const row = await h.claimOne();
  const stop = new AbortController();
  h.deps.deadline = stop.signal;
  return { ...task, row, stop, run: () => runTask(h.deps, row, stop.signal) };
}

const rowOf = ({ accountId, id }: GenerationRow) => h.deps.find(accountId, id);

describe("during an outage of Postgres that is shorter than the lease", () => {
  it("an accepted task is recorded with its job and ends with success", async () => {
    const { read } = await h.createVideo();
    const { pausedMs } = outageWith(accepted, OUTAGE_MS);
    await h.drain();
    expect(pausedMs).toEqual([500, 1_000, 2_000, 4_000]);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(one.provider.submitted).toHaveLength(1);
  });

  it("a refused task ends failed with the upstream's reason, restored", async () => {
    const { read } = await h.createVideo();
    outageWith(REFUSED, OUTAGE_MS);
    await h.drain();
    expect(await read()).toMatchObject({ status: Status.FAILED, error: REFUSED.failure });
    expect(await h.balance(h.accountId)).toEqual([2_000n, 0n]);
  });

  it("a rejected task loses its token, and is submitted again", async () => {
    const { read } = await h.createVideo();
    outageWith(UNAVAILABLE, OUTAGE_MS);
    await h.drain();
    await h.after(500);
    await h.after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect([one, other].map(({ provider }) => provider.submitted.length)).toEqual([2, 0]);
  });
});

describe("a worker that lost its row during the outage", () => {
  /** Another worker takes the row. */
  const loseRow = async ({ id }: GenerationRow) => {
    await h.sql`
      update generation.tasks set fence = fence + 1, lease_until = null,
        next_step_at = ${h.clock.now()}
      where id = ${id}`;
  };

  it("still records the job that was accepted, and the task goes on with it", async () => {
    const { row, run, read } = await claimed();
    one.provider.onPoll = () => running(1_000);
    outageWith(accepted, OUTAGE_MS, () => loseRow(row));
    await run();
    expect((await rowOf(row))?.upstreamId).toMatch(/^job /);
    await h.drain();
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect([one.provider.submitted.length, one.provider.cancelled]).toEqual([1, []]);
  });

  it("ends its tries of a write under its fence, which changes nothing", async () => {
    const { row, run } = await claimed();
    const { pausedMs } = outageWith(REFUSED, RENEW_MS, () => loseRow(row));
    await run();
    expect(pausedMs).toEqual([500, 1_000, 2_000]);
    expect(await rowOf(row)).toMatchObject({ step: "submit", settling: null });
  });
});

describe.each([
  ["an accepted job", accepted],
  ["a refusal", REFUSED],
  ["a rejection", UNAVAILABLE],
])("a worker gives up %s that it cannot write", (_what, answer) => {
  it("after 30 s", async () => {
    const { row, run } = await claimed();
    const { pausedMs } = outageWith(answer, 60_000);
    await expect(run()).rejects.toThrow("the connection was lost");
    expect(pausedMs).toEqual([500, 1_000, 2_000, ...Array<number>(7).fill(4_000)]);
    expect(await rowOf(row)).toMatchObject({ step: "submit", settling: null });
    expect((await rowOf(row))?.submitToken).not.toBeNull();
  });

  it("at the deadline of its process's stop, after one more try", async () => {
    const { stop, run } = await claimed();
    const { pausedMs } = outageWith(answer, 60_000, () => stop.abort());
    await expect(run()).rejects.toThrow("the connection was lost");
    expect(pausedMs).toEqual([500]);
  });
});

it("a task whose intent was written, but whose write failed for its worker, is sent again", async () => {
  // Pictures are fetched before the intent, which is a write of its own then.
  one.provider.takesBytes = true;
  const { run, read } = await claimed({ input: { imageUrl: "https://pictures.test/a.png" } });
  const { update } = h.deps.writes;
  let isLost = false;
  h.replace("writes", {
    update: async (row, change) => {
      const written = await update(row, change);
      if (isLost || !change.submitToken) return written;
      isLost = true;
      throw new DatabaseUnavailable("the reply was lost");
    },
  });
  one.provider.onSubmit = accepted;
  await run();
  expect(one.provider.submitted).toHaveLength(0);
  await h.after(2_000);
  await h.after(1_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
});

it("a decided task stays so when the deadline of its process's stop passes meanwhile", async () => {
  const { row, stop, run } = await claimed();
  const { decide } = h.deps.writes;
  h.replace("writes", { decide: (...args) => decide(...args).finally(() => stop.abort()) });
  one.provider.onSubmit = () => REFUSED;
  await run();
  expect(await rowOf(row)).toMatchObject({ step: "settle", failures: 0 });
});
