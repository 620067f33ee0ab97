/** Polls: their pace, the progress and the deadlines that they find; and an image whose worker died within its call. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { FINISHED, running } from "../../support/scripted-provider.ts";
import { failedWith, isDown, pendingCall, useHarness } from "../fixture.ts";
import { defaultCatalogPath, openCatalog } from "../../../services/generation/catalog/catalog.ts";
import { pollIntervalMs, progressOf } from "../../../services/generation/domain/waits.ts";
import { FAILURES } from "../../../services/generation/domain/failures.ts";
import type { Imaged } from "../../../services/generation/providers/provider.ts";
import { UpstreamError } from "../../../services/generation/providers/shared/outcome.ts";
import { LEASE_MS } from "../../../services/generation/worker/steps/slots.ts";
import { runTask } from "../../../services/generation/worker/worker.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const h = useHarness();
beforeEach(() => h.endTasks());

/** A video that its upstream accepted, and what polls of it say from then on. */
async function accepted() {
  const task = await h.createVideo();
  await h.drain();
  return { ...task, says: (answer: typeof h.provider.onPoll) => void (h.provider.onPoll = answer) };
}

const isGone = () => ({ kind: "gone" }) as const;
const hasNoFile = () => Promise.reject(refusal({ reason: ErrorReason.SOURCE_GONE, message: "" }));

describe("a job that its upstream does not know", () => {
  it.each([
    ["", isGone, {}, 0],
    [", as is a file, counted anew", () => FINISHED, { storeOutput: hasNoFile }, 9],
  ])("is gone after a minute, restored%s", async (_, answer, delivery, before) => {
    const { read, status, says } = await accepted();
    says(isGone);
    for (let i = 0; i < before; i++) await h.after(6_000);
    says(answer);
    h.replace("delivery", delivery);
    for (let i = 0; i < 9; i++) await h.after(6_000);
    expect(await status()).toBe(Status.PROCESSING);
    for (let i = 0; i < 3; i++) await h.after(6_000);
    expect(await read()).toMatchObject(failedWith("expired"));
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("is not gone when it was seen in between, however often it is missing for a moment, and goes on", async () => {
    const { read, status, says } = await accepted();
    for (let i = 0; i < 8; i++) {
      says(() => (i % 2 === 0 ? isGone() : running(10_000)));
      await h.after(12_000);
    }
    says(isGone);
    await h.after(12_000);
    expect(await status()).toBe(Status.PROCESSING);
    says(() => FINISHED);
    await h.after(6_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 210n });
  });
});

const DAY_MS = 24 * 60 * 60_000;
const BUSY = { status: 429, headers: {}, body: undefined, retryAfterMs: DAY_MS };

it.each([
  ["a poll of a running image", () => ({ ...running(500), retryAfterMs: DAY_MS })],
  ["a poll that it refuses", () => Promise.reject(new UpstreamError("a poll", BUSY))],
])(
  "an upstream that asks for a wait in answer to %s is not polled sooner, but after a minute at most",
  async (_what, asks) => {
    const { image } = h.provider;
    delete h.provider.image;
    const { status } = await h.createImage();
    await h.drain();
    let polls = 0;
    h.provider.onPoll = () => (++polls === 1 ? asks() : FINISHED);
    await h.after(1_000);
    for (let i = 0; i < 5; i++) await h.after(10_000);
    expect(polls).toBe(1);
    for (let i = 0; i < 3; i++) await h.after(10_000);
    expect([polls, await status()]).toEqual([2, Status.SUCCESS]);
    if (image) h.provider.image = image;
  },
);

const create = async (model?: string) =>
  (await h.createVideo(model === undefined ? {} : { model })).read;

describe("the progress of a video", () => {
  it("follows the recent durations of its model if the upstream reports none, as the estimate of its end does", async () => {
    const seen = async (read: Awaited<ReturnType<typeof create>>) => {
      const { status, progress, startedAt, estimatedCompletionAt: at } = (await read()) ?? {};
      const endsAfterMs =
        startedAt && at && Number(timestampDate(at)) - Number(timestampDate(startedAt));
      return { status, progress, endsAfterMs };
    };
    h.provider.onPoll = () => running(1_000);
    const first = await create("alpha-2.0-fast");
    await h.drain();
    const processing = { status: Status.PROCESSING, endsAfterMs: undefined };
    expect(await seen(first)).toMatchObject(processing);
    for (let i = 0; i < 9; i++) await h.after(10_000);
    h.provider.onPoll = () => FINISHED;
    await h.after(10_000);
    expect(await seen(first)).toMatchObject({ status: Status.SUCCESS, endsAfterMs: undefined });
    h.provider.onPoll = () => running(1_000);
    h.clock.advance(30_000);
    const second = await create("alpha-2.0-fast");
    await h.drain();
    expect(await seen(second)).toMatchObject({ endsAfterMs: 100_000 });
    await h.after(50_000);
    const half = (await seen(second)).progress;
    expect(half).toBeGreaterThan(40);
    expect(half).toBeLessThan(50);
    await h.after(60 * 10_000);
    const late = await seen(second);
    expect(late).toMatchObject(processing);
    expect(late.progress).toBeLessThan(100);
  });

  it.each([
    ["is the upstream's number if it reports one", 0, 40, 1_000, 40],
    ["never falls", 60, 40, 1_000, 60],
    ["is not 100 before success", 0, 100, 1_000, 99],
    ["is not 100 however long it takes", 0, undefined, 1_000_000_000, 99],
    ["grows linearly to 90 at the usual time", 0, undefined, 50_000, 45],
    ["is whole and within bounds whatever the upstream says", 3, -7.5, 1_000, 3],
    ["is whole and within bounds for no number at all", 3, Number.NaN, 1_000, 3],
  ])("%s", (_what, before, reported, elapsedMs, expected) => {
    expect(progressOf(before, reported, elapsedMs, 100_000)).toBe(expected);
  });
});

describe("polls", () => {
  it.each([
    ["follow the upstream's advice at first", "video", 2_000, 0, 0.5, 2_000],
    ["become rarer with the job's age", "video", 2_000, 200_000, 0.5, 6_000],
    ["come every ten seconds at least, by age", "video", 2_000, 1_200_000, 0.5, 10_000],
    ["are as rare as the upstream advises", "video", 15_000, 1_200_000, 0.5, 15_000],
    ["are spread by jitter", "video", 10_000, 0, 0, 9_000],
    ["come together, at quarters of a second", "video", 10_000, 0, 0.501, 10_250],
    ["come every second at least for an image", "image", 15_000, 60_000, 0.5, 1_000],
  ] as const)("%s", (_what, kind, adviceMs, ageMs, random, expected) => {
    expect(pollIntervalMs(kind, adviceMs, ageMs, random, new Date(0))).toBe(expected);
  });

  it("that fail are repeated after longer and longer pauses, and the video goes on when the upstream is back", async () => {
    const read = await create();
    const poll = vi.fn<() => Promise<never>>(() => Promise.reject(new Error("no answer")));
    h.provider.onPoll = poll;
    await h.drain();
    for (let i = 0; i < 60; i++) await h.after(1_000);
    expect(poll.mock.calls.length).toBeLessThan(10);
    h.provider.onPoll = () => FINISHED;
    await h.after(31_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  });
});

it("the deadlines of a model replace the defaults", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "models.json");
  const catalog = JSON.parse(await readFile(defaultCatalogPath, "utf8")) as object;
  const deadlines = { "alpha-2.0-fast": { processing_seconds: 60, queue_seconds: 30 } };
  await writeFile(path, JSON.stringify({ ...catalog, deadlines }));
  h.deps.catalog = openCatalog(path);
  h.provider.onPoll = () => running(1_000);
  const [fast, other] = [await create("alpha-2.0-fast"), await create("alpha-2.0")];
  await h.drain();
  const waiting = await create("alpha-2.0-fast");
  h.deps.upstreams.of = () => [];
  await h.after(31_000);
  expect((await waiting())?.error?.code).toBe("expired");
  await h.after(31_000);
  expect([(await fast())?.error?.code, (await other())?.status]).toEqual([
    "upstream_timeout",
    Status.PROCESSING,
  ]);
});

const WAIT_FOR_WORKER_MS = 30_000;

/** A worker that dies as delivery has stored its image, before it has decided anything. */
async function diesWhenStored() {
  const task = await h.createImage();
  const row = await h.claimOne();
  const dead = pendingCall();
  const { storeOutput } = h.deps.delivery;
  const restore = h.replace("delivery", {
    storeOutput: async (...call) => {
      await storeOutput(...call);
      return dead.call();
    },
  });
  void runTask(h.paused(), row, new AbortController().signal);
  restore();
  await dead.made;
  return task;
}

/** A worker that is paused in its image call; `answer` ends the call once it works again. */
async function isPausedInItsCall() {
  const task = await h.createImage();
  const call = pendingCall<Imaged>();
  const { onImage } = h.provider;
  h.provider.onImage = call.call;
  const row = await h.claimOne();
  const clock = manualClock(h.clock.now().toISOString());
  const renewed = Promise.withResolvers<void>();
  const sql = new Proxy(h.deps.sql, {
    apply: (target, self, args) => {
      const query = Reflect.apply(target, self, args) as Promise<unknown>;
      void query.then(() => setImmediate(renewed.resolve));
      return query;
    },
  });
  const ended = runTask({ ...h.deps, clock, sql }, row, new AbortController().signal);
  await call.made;
  h.provider.onImage = onImage;
  const answer = async (imaged: Imaged) => {
    // It has tried to renew its lease before it reads the answer.
    clock.advance(LEASE_MS);
    await renewed.promise;
    call.answer(imaged);
    await ended;
  };
  return { ...task, answer };
}

/** For the rest of the test delivery says this of what it has stored. */
function tellOfOutput(told: () => object): void {
  const { findOutput } = h.deps.delivery;
  h.replace("delivery", {
    findOutput: async (...call) => ({ ...(await findOutput(...call)), ...told() }),
  });
}

describe("an image whose worker died within the call", () => {
  it("ends in success with what delivery has stored of it, and is not made again", async () => {
    const { read } = await diesWhenStored();
    await h.after(LEASE_MS + 1);
    const output = [{ key: "a.mp4" }];
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n, output });
    expect(h.provider.submitted).toHaveLength(1);
    expect(h.discarded).toEqual([]);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("waits for a copy that goes on without the worker, and for delivery", async () => {
    const { read } = await diesWhenStored();
    const told = [{ output: [], missing: 1, copying: 1 }, {}].values();
    const restore = h.replace("delivery", { findOutput: isDown });
    await h.after(LEASE_MS + 1);
    restore();
    tellOfOutput(() => told.next().value ?? {});
    await h.after(2_000);
    expect((await read())?.status).toBe(Status.PROCESSING);
    await h.after(2_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("goes on with the job that its upstream knows of it, where that can be asked, and is not made again", async () => {
    h.provider.findsImages = true;
    const { read } = await isPausedInItsCall();
    h.provider.onFind = (token) => `image-${token}`;
    await h.after(LEASE_MS + 1);
    await h.after(1_000);
    delete h.provider.findsImages;
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(h.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("ends in success if its worker was only paused, and comes back with the answer within 30 s", async () => {
    const { read, answer } = await isPausedInItsCall();
    await h.after(LEASE_MS + 1);
    await h.after(WAIT_FOR_WORKER_MS - 1_000);
    await answer(FINISHED);
    await h.after(1_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(h.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("fails after 30 s without its worker, restored, and a later answer changes nothing", async () => {
    const { read, answer, generationId } = await isPausedInItsCall();
    await h.after(LEASE_MS + 1);
    await h.after(WAIT_FOR_WORKER_MS);
    expect(await read()).toMatchObject(failedWith("internal"));
    await answer(FINISHED);
    await h.after(1_000);
    expect(await read()).toMatchObject(failedWith("internal"));
    expect(h.discarded).toEqual([generationId]);
    expect(h.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("fails as soon as no copy can store it any more, and 30 s have passed", async () => {
    const { read } = await diesWhenStored();
    let copying = 1;
    tellOfOutput(() => ({ output: [], missing: 1, copying }));
    await h.after(LEASE_MS + 1);
    expect((await read())?.status).toBe(Status.PROCESSING);
    copying = 0;
    await h.after(2_000);
    expect((await read())?.status).toBe(Status.PROCESSING);
    await h.after(WAIT_FOR_WORKER_MS);
    expect((await read())?.status).toBe(Status.FAILED);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it.each([
    ["fails, and what is stored of it is discarded", { output: [] }, failedWith("internal"), 0n],
    ["succeeds with the files that are stored", {}, { status: Status.SUCCESS }, 42n],
  ])("whose copy never ends %s at its deadline", async (_what, stored, end, charged) => {
    const { read, generationId } = await diesWhenStored();
    tellOfOutput(() => ({ ...stored, missing: 1 }));
    await h.after(5 * 60_000 + 1);
    expect(await read()).toMatchObject(end);
    expect(h.discarded).toEqual(end.status === Status.FAILED ? [generationId] : []);
    expect(await h.balance(h.accountId)).toEqual([1_000n - charged, 0n]);
  });
});

it("a generation that failed after it was submitted is discarded at delivery, again and again until that has worked", async () => {
  const { status, generationId } = await h.createVideo();
  h.provider.onPoll = () => ({ kind: "failed", failure: FAILURES.interrupted });
  const restore = h.replace("delivery", { discardOutput: isDown });
  await h.sendAndPoll();
  expect(await status()).toBe(Status.FAILED);
  await h.after(1_000);
  restore();
  await h.after(30_000);
  expect(h.discarded).toEqual([generationId]);
});
