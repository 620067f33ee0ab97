import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { claimDueGenerations } from "../../../services/generation/store/steps.ts";
import { LEASE_MS } from "../../../services/generation/worker/claim-work.ts";
import { runJob } from "../../../services/generation/worker/run-job.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

let h: Harness;
let accountId: string;
beforeAll(async () => {
  h = await generationHarness();
});
beforeEach(async () => {
  h.reset();
  h.provider.onPoll = () => ({ kind: "running", pollAfterMs: 600_000 });
  accountId = await h.account(10_000n);
});
afterAll(() => h[Symbol.asyncDispose]());

async function create(model = "beta-3.0-video") {
  h.clock.advance(10);
  const generationId = randomId("vgen");
  const input = { prompt: "a cat" };
  await h.client.createVideo({ accountId, mode: Mode.LIVE, generationId, model, input });
  return {
    generationId,
    task: async () => (await h.client.getTask({ generationId })).task,
    status: async () => {
      const address = { accountId, mode: Mode.LIVE, kind: Kind.VIDEO, generationId };
      return (await h.client.getGeneration(address)).generation?.status;
    },
  };
}

/** Works until `ms` from now. */
async function workFor(ms: number) {
  await h.drain();
  h.clock.advance(ms);
  await h.drain();
}

/** Fails it, with workers that come when they are rung. */
async function fail(generationId: string) {
  const drained: Promise<void>[] = [];
  h.hooks.onRing = () => void drained.push(h.drain());
  try {
    return await h.client.failTask({ generationId });
  } finally {
    await Promise.all(drained);
    h.hooks.onRing = () => {};
  }
}

const refusalOf = (call: Promise<unknown>) => call.then(() => undefined, reasonOf);

describe("operators", () => {
  it("see a task's step, route, times and upstream jobs", async () => {
    const { task, generationId } = await create();
    expect(await task()).toMatchObject({ step: "queue", route: "", status: Status.PENDING });
    await workFor(1_000);
    const seen = await task();
    expect(seen).toMatchObject({
      id: generationId,
      accountId,
      step: "poll",
      status: Status.PROCESSING,
      route: "simulator",
      tokens: 500n,
      upstreamJobs: [{ credential: "simulator", upstreamId: seen?.upstreamId }],
    });
    expect(seen?.upstreamId).not.toBe("");
    expect(seen?.startedAt && seen.submittedAt && seen.deadlineAt && seen.nextStepAt).toBeTruthy();
  });

  it("list the unfinished tasks of all accounts, newest first, or those that they ask for", async () => {
    const first = await create();
    await fail(first.generationId);
    const mine = [await create(), await create("alpha-2.0")].map((one) => one.generationId);
    const other = accountId;
    accountId = await h.account(1_000n);
    const theirs = (await create()).generationId;
    const ids = async (filter: object) => {
      const { tasks } = await h.client.listTasks({ limit: 3, ...filter });
      return tasks.map(({ id }) => id);
    };
    expect(await ids({})).toEqual([theirs, ...mine.toReversed()]);
    expect(await ids({ limit: 1 })).toEqual([theirs]);
    expect(await ids({ accountId: other })).toEqual(mine.toReversed());
    expect(await ids({ model: "alpha-2.0", accountId: other })).toEqual([mine[1]]);
    expect(await ids({ status: Status.FAILED, accountId: other })).toEqual([first.generationId]);
    const createdAfter = timestampFromDate(new Date(h.clock.now().getTime() - 1));
    expect(await ids({ createdAfter })).toEqual([theirs]);
  });

  it("are told where there is no such task, or it has ended", async () => {
    const generationId = randomId("vgen");
    for (const call of [h.client.getTask, h.client.makeTaskDue, h.client.failTask]) {
      expect(await refusalOf(call({ generationId }))).toBe(ErrorReason.NOT_FOUND);
    }
    const ended = await create();
    await fail(ended.generationId);
    for (const call of [h.client.makeTaskDue, h.client.failTask]) {
      expect(await refusalOf(call(ended))).toBe(ErrorReason.ALREADY_FINISHED);
    }
    const stranger = { generationId: ended.generationId, accountId: await h.account(0n) };
    expect(await refusalOf(h.client.getTask(stranger))).toBe(ErrorReason.NOT_FOUND);
  });
});

describe("a task that is made due", () => {
  it("is looked at now instead of at its time", async () => {
    const { generationId, status } = await create();
    await workFor(1_000);
    h.provider.onPoll = () => ({
      kind: "succeeded",
      sources: [{ url: "http://u.test/f", configuredOrigin: true }],
    });
    await workFor(1_000);
    expect(await status()).toBe(Status.PROCESSING);
    let rings = 0;
    h.hooks.onRing = () => (rings += 1);
    await h.client.makeTaskDue({ generationId });
    expect(rings).toBe(1);
    await h.drain();
    expect(await status()).toBe(Status.SUCCESS);
  });
});

describe("a task that operators give up", () => {
  it("ends failed as ours, restored, and its upstream job is cancelled", async () => {
    const { generationId, task } = await create();
    await workFor(1_000);
    const upstreamId = (await task())?.upstreamId;
    const { task: ended } = await fail(generationId);
    expect(ended).toMatchObject({ status: Status.FAILED, error: { code: "internal" } });
    expect(await h.balance(accountId)).toEqual([10_000n, 0n]);
    expect(h.provider.cancelled).toEqual([upstreamId]);
    expect(h.finished.map(({ generation }) => generation?.status)).toEqual([Status.FAILED]);
  });

  it("is not brought back by the worker that has it", async () => {
    const { generationId, status } = await create();
    await workFor(1_000);
    let answer: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { poll } = h.provider;
    const isPolled = new Promise<void>((resolve) => {
      h.provider.poll = async () => {
        resolve();
        await answered;
        return {
          kind: "succeeded",
          sources: [{ url: "http://u.test/f", configuredOrigin: true }],
        };
      };
    });
    await h.client.makeTaskDue({ generationId });
    const [row] = await claimDueGenerations(h.sql, h.clock.now(), LEASE_MS, 1);
    const worker = row && runJob(h.deps, row, new AbortController().signal);
    await isPolled;
    await fail(generationId);
    answer();
    await worker;
    h.provider.poll = poll;
    expect(await status()).toBe(Status.FAILED);
    expect(await h.balance(accountId)).toEqual([10_000n, 0n]);
  });

  it("stays so where its submit is answered only then, and that job is cancelled", async () => {
    let answer: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const isSent = new Promise<void>((resolve) => {
      h.provider.onSubmit = async () => {
        resolve();
        await answered;
        return { kind: "accepted", upstreamId: "late" };
      };
    });
    h.provider.onFind = () => ({ kind: "unknown" });
    const { generationId, task } = await create();
    const worker = h.drain();
    await isSent;
    h.hooks.onRing = () => {
      answer();
      void worker.then(h.drain);
    };
    await h.client.failTask({ generationId });
    await worker;
    expect(await task()).toMatchObject({ status: Status.FAILED, step: "done" });
    expect(new Set(h.provider.cancelled)).toEqual(new Set(["late"]));
    expect(await h.balance(accountId)).toEqual([10_000n, 0n]);
  });

  it("has a job stopped whose submit was never answered, where it is found", async () => {
    h.provider.onSubmit = () => ({ kind: "unknown" });
    const { generationId } = await create();
    await h.drain();
    h.provider.onFind = () => ({ kind: "found", upstreamId: "lost-and-found" });
    await fail(generationId);
    expect(h.provider.cancelled).toEqual(["lost-and-found"]);
  });
});
