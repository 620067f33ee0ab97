import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
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
  accountId = await h.account(1_000n);
});
afterAll(() => h[Symbol.asyncDispose]());

async function create(input: { webhookUrl?: string } = {}) {
  const { generation } = await h.client.createVideo({
    accountId,
    mode: Mode.LIVE,
    generationId: randomId("vgen"),
    model: "beta-3.0-video",
    input: { prompt: "a cat in the rain", ...input },
  });
  const generationId = generation?.id ?? "";
  return async () => {
    const found = await h.client.getGeneration({
      accountId,
      mode: Mode.LIVE,
      kind: Kind.VIDEO,
      generationId,
    });
    return found.generation;
  };
}

const claim = () => h.claim(10);
const work = async (rows: Awaited<ReturnType<typeof claim>>) => {
  await Promise.all(rows.map((row) => runJob(h.deps, row, new AbortController().signal)));
};

describe("a video", () => {
  it("goes from pending over processing with rising progress to success, and is charged", async () => {
    const read = await create();
    const progress = [10, 40, 30];
    h.provider.onPoll = () => {
      const next = progress.shift();
      return next === undefined
        ? { kind: "succeeded", sources: [{ url: "http://u.test/f", configuredOrigin: true }] }
        : { kind: "running", progress: next, pollAfterMs: 1_000 };
    };
    await h.drain();
    const seen: [Status | undefined, number | undefined][] = [];
    for (let i = 0; i < 4; i++) {
      h.clock.advance(1_000);
      await h.drain();
      const now = await read();
      seen.push([now?.status, now?.progress]);
    }
    expect(seen).toEqual([
      [Status.PROCESSING, 10],
      [Status.PROCESSING, 40],
      [Status.PROCESSING, 40],
      [Status.SUCCESS, 100],
    ]);
    const ended = await read();
    expect(ended).toMatchObject({ status: Status.SUCCESS, credits: 500n });
    expect(ended?.output[0]).toMatchObject({ key: "a.mp4", duration: 5 });
    expect(await h.balance(accountId)).toEqual([500n, 0n]);
    expect(h.finished).toHaveLength(1);
    expect(h.provider.submitted).toHaveLength(1);
  });

  it("that the upstream fails ends failed, with its Tokens back before that is visible", async () => {
    const read = await create();
    const failure = { code: "content_rejected", message: "Not allowed." } as const;
    h.provider.onPoll = () => ({ kind: "failed", failure });
    await h.drain();
    h.clock.advance(1_000);
    h.faults.release = true;
    await work(await claim());
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect(await h.balance(accountId)).toEqual([500n, 500n]);
    h.faults.release = false;
    h.clock.advance(60_000);
    await h.drain();
    expect(await read()).toMatchObject({ status: Status.FAILED, credits: 0n, error: failure });
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });

  it("whose copy fails for a while is copied later, from a fresh answer of the upstream", async () => {
    const read = await create();
    await h.drain();
    h.faults.store = true;
    for (let i = 0; i < 3; i++) {
      h.clock.advance(31_000);
      await h.drain();
    }
    expect((await read())?.status).toBe(Status.PROCESSING);
    h.faults.store = false;
    h.clock.advance(31_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("that runs past its deadline ends failed, restored, and is cancelled upstream", async () => {
    const read = await create();
    h.provider.onPoll = () => ({ kind: "running", pollAfterMs: 1_000 });
    await h.drain();
    h.clock.advance(21 * 60_000);
    await h.drain();
    expect(await read()).toMatchObject({
      status: Status.FAILED,
      error: { code: "upstream_timeout" },
    });
    expect(h.provider.cancelled).toHaveLength(1);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });
});

describe("a submit", () => {
  it("of unknown outcome is looked up, never sent again, and goes on where the upstream has it", async () => {
    const read = await create();
    h.provider.onSubmit = () => ({ kind: "unknown" });
    h.provider.onFind = () => ({ kind: "unknown" });
    await h.drain();
    for (let i = 0; i < 5; i++) {
      h.clock.advance(40_000);
      await h.drain();
    }
    expect((await read())?.status).toBe(Status.PENDING);
    h.provider.onFind = (token) => ({ kind: "found", upstreamId: `late-${token}` });
    h.clock.advance(40_000);
    await h.drain();
    h.clock.advance(1_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(h.provider.submitted).toHaveLength(1);
  });

  it("that the upstream certainly never got is sent again", async () => {
    const read = await create();
    h.provider.onSubmit = () => ({ kind: "unknown" });
    await h.drain();
    h.provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
    h.clock.advance(40_000);
    await h.drain();
    h.clock.advance(40_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.SUCCESS);
    const tokens = h.provider.submitted.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(2);
  });

  it("whose outcome never becomes known ends failed and restored, with one job at the upstream", async () => {
    const read = await create();
    h.provider.onSubmit = () => ({ kind: "unknown" });
    h.provider.onFind = () => ({ kind: "unknown" });
    await h.drain();
    h.clock.advance(21 * 60_000);
    await h.drain();
    expect((await read())?.error?.code).toBe("upstream_timeout");
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
    expect(h.provider.submitted).toHaveLength(1);
  });

  it("by a worker that was paused past its lease changes nothing, and the job is not lost", async () => {
    const read = await create();
    let resume: () => void = () => {};
    const paused = new Promise<void>((resolve) => {
      resume = resolve;
    });
    h.provider.onSubmit = async (job) => {
      await paused;
      return { kind: "accepted", upstreamId: job.token };
    };
    const rows = await claim();
    const zombie = work(rows);
    await expect.poll(() => h.provider.submitted.length).toBe(1);
    await h.sql`update generation.generations set lease_until = ${h.clock.now()}`;
    h.provider.onFind = () => ({ kind: "unknown" });
    await work(await claim());
    resume();
    await zombie;
    expect((await read())?.status).toBe(Status.PENDING);
    h.clock.advance(60_000);
    await h.drain();
    h.clock.advance(60_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(h.provider.submitted).toHaveLength(1);
  });

  it("is not sent by a worker that was paused before it, for so long that others may send another", async () => {
    const read = await create();
    const pausing: typeof h.deps.writes = {
      ...h.deps.writes,
      update: async (row, change) => {
        const updated = await h.deps.writes.update(row, change);
        if (change.submit_token) h.clock.advance(20_000);
        return updated;
      },
    };
    const zombie = { ...h.deps, writes: pausing };
    const rows = await claim();
    await Promise.all(rows.map((row) => runJob(zombie, row, new AbortController().signal)));
    expect(h.provider.submitted).toEqual([]);
    for (let i = 0; i < 3; i++) {
      h.clock.advance(40_000);
      await h.drain();
    }
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(h.provider.submitted).toHaveLength(1);
  });
});

describe("a video that was claimed and not submitted before its worker died", () => {
  it("is not submitted after its queue deadline: it ends failed and restored", async () => {
    const read = await create();
    expect(await claim()).toHaveLength(1);
    h.clock.advance(24 * 60 * 60_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.FAILED);
    expect(h.provider.submitted).toEqual([]);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });
});

describe("the event of an end", () => {
  it("is published only after the end is committed", async () => {
    const read = await create();
    await h.drain();
    h.clock.advance(1_000);
    const broken: typeof h.deps.writes = {
      ...h.deps.writes,
      update: (row, change) =>
        change.status === "success"
          ? Promise.reject(new Error("the database is gone"))
          : h.deps.writes.update(row, change),
    };
    for (const row of await claim()) {
      await runJob({ ...h.deps, writes: broken }, row, new AbortController().signal);
    }
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect(h.finished).toEqual([]);
    h.clock.advance(60_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(h.finished).toHaveLength(1);
  });
});

describe("a finished video with a webhook", () => {
  it("is handed over by RPC where delivery did not confirm the event within ten seconds", async () => {
    await create({ webhookUrl: "https://example.com/hook" });
    await h.drain();
    h.clock.advance(1_000);
    await h.drain();
    expect(h.finished).toHaveLength(1);
    expect(h.handedOver).toHaveLength(0);
    h.clock.advance(10_000);
    await h.drain();
    expect(h.handedOver.map(({ finished }) => finished?.eventId)).toEqual([h.finished[0]?.eventId]);
    h.clock.advance(60_000);
    await h.drain();
    expect(h.handedOver).toHaveLength(1);
  });

  it("is not handed over again once delivery has confirmed it", async () => {
    const read = await create({ webhookUrl: "https://example.com/hook" });
    await h.drain();
    h.clock.advance(1_000);
    await h.drain();
    const generationId = (await read())?.id ?? "";
    await h.client.confirmHandover({ accountId, generationId });
    h.clock.advance(60_000);
    await h.drain();
    expect(h.handedOver).toHaveLength(0);
  });
});

describe("an image", () => {
  const createImage = (waitSeconds: number) =>
    h.client.createImage({
      accountId,
      mode: Mode.LIVE,
      generationId: randomId("igen"),
      model: "gamma-image-3.0-pro",
      input: { prompt: "a cat", imageUrls: ["https://e.com/a.png"] },
      waitSeconds,
    });

  it("is answered when it has ended, priced by size and references", async () => {
    const call = createImage(120);
    await expect
      .poll(async () => {
        await h.drain();
        return h.stored.length;
      })
      .toBe(1);
    const { generation } = await call;
    expect(generation).toMatchObject({ status: Status.SUCCESS, credits: 63n });
    expect(await h.balance(accountId)).toEqual([937n, 0n]);
  });

  it("whose upstream call was cut off by a crash ends failed and restored, and is not asked again", async () => {
    const { generation } = await createImage(0);
    expect(generation?.status).toBe(Status.PROCESSING);
    await h.sql`update generation.generations set submit_token = 'sent', provider = 'simulator'`;
    await h.drain();
    const ended = await h.client.getGeneration({
      accountId,
      mode: Mode.LIVE,
      kind: Kind.IMAGE,
      generationId: generation?.id ?? "",
    });
    expect(ended.generation).toMatchObject({ status: Status.FAILED, error: { code: "internal" } });
    expect(h.provider.submitted).toHaveLength(0);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });
});
