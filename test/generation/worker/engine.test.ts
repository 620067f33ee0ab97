/** The life of a generation: from its create to its end, whatever upstreams, workers and the database do. */
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { FAILURES } from "../../../services/generation/domain/failures.ts";
import { running } from "../../support/scripted-provider.ts";
import { isDown, pendingCall, useHarness } from "../fixture.ts";

const h = useHarness();

/** Creates a video of 500 Tokens. */
const create = (input: { webhookUrl?: string } = {}) =>
  h.createVideo({ model: "beta-3.0-video", input });
const claim = () => h.claim(10);
const HOOK = "https://example.com/hook";

describe("a video", () => {
  it("goes from pending through processing with rising progress to success, and is charged", async () => {
    const { read } = await create();
    expect(await read()).toMatchObject({ status: Status.PENDING });
    await h.drain();
    for (const [reported, progress] of [
      [10, 10],
      [40, 40],
      [30, 40],
    ] as const) {
      h.provider.onPoll = () => ({ ...running(1_000), progress: reported });
      await h.after(1_000);
      expect(await read()).toMatchObject({ status: Status.PROCESSING, progress });
    }
    const headers = { "x-key": "the key" };
    const source = { url: "https://upstream.test/a.mp4", configuredOrigin: true, headers };
    h.provider.onPoll = () => ({ kind: "succeeded", sources: [source] });
    await h.after(1_000);
    const output = [{ key: "a.mp4", duration: 5 }];
    const ended = { status: Status.SUCCESS, progress: 100, credits: 500n, output };
    expect(await read()).toMatchObject(ended);
    expect(await h.balance(h.accountId)).toEqual([500n, 0n]);
    expect(h.finished).toHaveLength(1);
    expect(h.provider.submitted).toHaveLength(1);
    const { url: value, ...shared } = source;
    expect(h.stored).toMatchObject([{ sources: [{ ...shared, from: { value } }] }]);
  });

  it("that the upstream fails ends failed, and its Tokens are restored before that is visible", async () => {
    const { read } = await create();
    const failure = { code: "content_rejected", message: "Not allowed." } as const;
    h.provider.onPoll = () => ({ kind: "failed", failure });
    await h.drain();
    h.clock.advance(1_000);
    const restore = h.replace("billing", { release: isDown });
    await h.work(await claim());
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect(await h.balance(h.accountId)).toEqual([500n, 500n]);
    restore();
    await h.after(60_000);
    expect(await read()).toMatchObject({ status: Status.FAILED, credits: 0n, error: failure });
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });
});

it("a submit is not sent by a worker that was paused before it for so long that its task may have ended", async () => {
  const { read } = await create();
  const rows = await claim();
  h.clock.advance(20_000);
  await h.work(rows);
  await h.after(21 * 60_000);
  expect((await read())?.status).toBe(Status.FAILED);
  expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  expect(h.provider.submitted).toEqual([]);
});

describe("the event of an end", () => {
  it("has nothing that its account may delete, because the stream keeps it", async () => {
    const { accountId, generationId: id } = await create({ webhookUrl: HOOK });
    await h.sendAndPoll();
    const eventId = expect.stringMatching(/^evt_/) as string;
    const nothing = { output: [], input: { case: undefined } };
    const generation = { id, accountId, status: Status.SUCCESS, ...nothing };
    expect(h.finished).toMatchObject([{ eventId, generation }]);
    expect(h.finished[0]?.generation).not.toHaveProperty("completedAt");
  });

  it("is published only after the end is committed", async () => {
    const { read } = await create();
    await h.drain();
    h.clock.advance(1_000);
    const restore = h.replace("writes", { end: isDown });
    await h.work(await claim());
    restore();
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect(h.finished).toEqual([]);
    await h.after(60_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(h.finished).toHaveLength(1);
  });
});

describe("a finished video with a webhook", () => {
  it("is handed to delivery at once, whole, and once", async () => {
    const { generationId: id } = await create({ webhookUrl: HOOK });
    await h.sendAndPoll();
    const input = { value: { prompt: "a cat", webhookUrl: HOOK } };
    const ended = { status: Status.SUCCESS, progress: 100, credits: 500n };
    const generation = { id, ...ended, output: [{ key: "a.mp4" }], input };
    const eventId = h.finished[0]?.eventId;
    expect(h.acceptedEnds).toMatchObject([{ finished: { eventId, generation } }]);
    await h.after(60_000);
    expect(h.acceptedEnds).toHaveLength(1);
  });

  it("is handed over again until delivery has it, and stays with its worker meanwhile", async () => {
    const { call: acceptEnd, made, fail } = pendingCall();
    const restore = h.replace("delivery", { acceptEnd });
    const { read } = await create({ webhookUrl: HOOK });
    await h.drain();
    h.clock.advance(1_000);
    const working = h.work(await claim());
    await made;
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(await claim()).toEqual([]);
    restore();
    fail(new Error("no connection"));
    await working;
    expect(h.acceptedEnds).toHaveLength(0);
    await h.after(1_000);
    expect(h.acceptedEnds).toHaveLength(1);
  });
});

it.each([
  ["video", create],
  ["image", () => h.createImage({ imageUrls: ["https://e.com/a.png"] })],
])(
  "a %s whose file delivery will never store fails at once, and is not copied again",
  async (_kind, made) => {
    const unreadable = refusal({ reason: ErrorReason.UNREADABLE_FILE, message: "no picture" });
    const storeOutput = vi.fn<() => Promise<never>>(() => Promise.reject(unreadable));
    h.replace("delivery", { storeOutput });
    const { status } = await made();
    await h.sendAndPoll();
    await h.after(60_000);
    expect(await status()).toBe(Status.FAILED);
    expect(storeOutput).toHaveBeenCalledOnce();
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  },
);

/** A video with a file of its account, and the files that were given back of it. */
async function createWithFile() {
  const imageUrl = `https://media.example/assets/${"0".repeat(26)}.png`;
  const video = await h.createVideo({ model: "beta-2.7-image-to-video", input: { imageUrl } });
  const givenBack = () => h.releasedFiles.filter((one) => one === `${video.generationId} 1`).length;
  return { ...video, givenBack };
}

const failed = () => ({ kind: "failed", failure: FAILURES.stopped }) as const;

describe("a generation with a file", () => {
  it.each([
    ["failed", 1],
    ["canceled", 1],
    ["success", 0],
  ] as const)("that ends as %s gives it back if nothing was made", async (status, count) => {
    const { cancel, givenBack, accountId, generationId } = await createWithFile();
    if (status === "failed") h.provider.onPoll = failed;
    if (status === "canceled") await cancel();
    await h.sendAndPoll();
    expect((await h.deps.find(accountId, generationId))?.status).toBe(status);
    expect(givenBack()).toBe(count);
  });

  it("ends only once its file is given back, and restores its Tokens once", async () => {
    const { givenBack, status } = await createWithFile();
    h.provider.onPoll = failed;
    const restore = h.replace("delivery", { releaseFiles: isDown });
    await h.sendAndPoll();
    expect(await status()).not.toBe(Status.FAILED);
    restore();
    await h.after(60_000);
    expect([givenBack(), await status()]).toEqual([1, Status.FAILED]);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });
});
