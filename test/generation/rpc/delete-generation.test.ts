/** DeleteGeneration: what is left of a deleted generation, whatever fails, and what is refused. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Submitted } from "../../../services/generation/providers/provider.ts";
import { LEASE_MS } from "../../../services/generation/worker/steps/slots.ts";
import { runTask } from "../../../services/generation/worker/worker.ts";
import { isDown, pendingCall, refusalOf, useHarness } from "../fixture.ts";

const h = useHarness();
const PROMPT = "a secret cat";
const INPUT = { prompt: PROMPT, negativePrompt: "dogs", metadata: { order: "8841" } };

/** A video that has ended with `status`. */
async function endedVideo(input: object = {}) {
  const video = await h.createVideo({ input: { ...INPUT, ...input } });
  await h.sendAndPoll();
  return video;
}

const rowOf = async ({ accountId, generationId }: { accountId: string; generationId: string }) =>
  (
    await h.sql`
      select coalesce(t.step, 'done') as step, g.status, g.tokens, g.model, g.completed_at, g.deleted_at, g.input,
        t.input as queued_input, g.output, t.output as decided_output, g.error_message, g.defaulted, g.upstream_id,
        g.submit_token
      from generation.generations g left join generation.tasks t on t.account_id = g.account_id and t.id = g.id
      where g.account_id = ${accountId} and g.id = ${generationId}`
  )[0];

const ERASED = {
  input: {},
  queuedInput: null,
  output: [],
  decidedOutput: null,
  errorMessage: null,
  defaulted: [],
  step: "done",
  upstreamId: null,
  submitToken: null,
};

describe("a deletion", () => {
  it("leaves id, model, times and Tokens; files, input and webhooks are deleted", async () => {
    const { address, read, remove } = await endedVideo();
    const before = await h.balance(h.accountId);
    for (let i = 0; i < 2; i++) {
      await remove();
      expect(await refusalOf(read())).toBe(ErrorReason.GENERATION_DELETED);
      await h.drain();
    }
    expect(await rowOf(address)).toMatchObject({
      ...ERASED,
      status: "success",
      model: "alpha-2.0",
      tokens: 210n,
      completedAt: expect.any(Date) as Date,
    });
    expect(h.deleted).toEqual([address.generationId]);
    expect(await h.balance(h.accountId)).toEqual(before);
    const now = timestampFromDate(h.clock.now());
    const day = { from: { seconds: now.seconds - 86_400n }, to: { seconds: now.seconds + 1n } };
    const { usage } = await h.client.getUsage({ ...address, ...day });
    expect(usage).toMatchObject([{ model: "alpha-2.0", tokens: 210n, generations: 1n }]);
  });

  it("leaves no id of the upstream's job, which may carry what was asked", async () => {
    const { address, remove } = await endedVideo();
    expect((await h.client.getTask(address)).task?.upstreamId).toMatch(/^job-/);
    // What a replica of 1.0.0 has recorded.
    await h.sql`
      insert into generation.submits (account_id, generation_id, submit_token, credential, upstream_id, created_at)
      values (${address.accountId}, ${address.generationId}, 't', 'c', ${PROMPT}, now())`;
    await remove();
    await h.drain();
    const submits = await h.sql`
      select from generation.submits where generation_id = ${address.generationId}`;
    expect(submits).toHaveLength(0);
    expect((await h.client.getTask(address)).task).toMatchObject({
      upstreamId: "",
      submitToken: "",
    });
  });

  it("leaves no id of a job that is recorded only afterwards, and that job is canceled", async () => {
    await h.endTasks();
    const { call: onSubmit, made, answer } = pendingCall<Submitted>();
    h.provider.onSubmit = onSubmit;
    const { address, cancel, remove } = await h.createVideo({ input: INPUT });
    const row = await h.claimOne();
    const worker = runTask(h.paused(), row, new AbortController().signal);
    await made;
    await cancel();
    await remove();
    await h.after(21 * 60_000);
    expect(await rowOf(address)).toMatchObject(ERASED);
    answer({ kind: "accepted", upstreamId: PROMPT });
    await worker;
    expect(await rowOf(address)).toMatchObject(ERASED);
    expect(h.provider.cancelled).toEqual([PROMPT]);
  });

  it("is repeated until delivery has carried it out, though it is read as deleted at once", async () => {
    const { address, read, remove } = await endedVideo();
    const restore = h.replace("delivery", { deleteGeneration: isDown });
    await remove();
    await h.drain();
    expect(await refusalOf(read())).toBe(ErrorReason.GENERATION_DELETED);
    expect(await rowOf(address)).toMatchObject({ step: "delete", input: { prompt: PROMPT } });
    restore();
    await h.after(1_000);
    expect(await rowOf(address)).toMatchObject(ERASED);
  });

  it("is finished by another worker where the first died between delivery and the row", async () => {
    const { address, remove } = await endedVideo();
    const { deleteGeneration } = h.deps.delivery;
    await remove();
    const died = pendingCall();
    const restore = h.replace("delivery", {
      deleteGeneration: async (...call) => {
        await deleteGeneration(...call);
        return died.call();
      },
    });
    void h.work([await h.claimOne()], h.paused());
    await died.made;
    restore();
    await h.drain();
    expect(await rowOf(address)).toMatchObject({ step: "delete" });
    await h.after(LEASE_MS);
    expect(await rowOf(address)).toMatchObject(ERASED);
    expect(h.deleted).toEqual([address.generationId, address.generationId]);
  });

  it("cannot be written to by a worker that had the generation before its end", async () => {
    await h.endTasks();
    const { address, remove } = await h.createVideo();
    const [early] = await h.claim(1);
    if (!early) throw new Error("nothing was claimed");
    await h.work([early]);
    await h.after(1_000);
    await remove();
    expect(await h.claim(1)).toMatchObject([{ step: "delete" }]);
    expect(await h.deps.writes.update(early, { step: "poll" })).toBeUndefined();
    expect(await rowOf(address)).toMatchObject({ step: "delete" });
  });

  it("that comes before delivery has accepted the end stops the webhook, and is not undone by a late answer", async () => {
    const { call: acceptEnd, made, answer } = pendingCall();
    const restore = h.replace("delivery", { acceptEnd });
    const input = { ...INPUT, webhookUrl: "https://hooks.example/" };
    const { address, remove } = await h.createVideo({ input });
    await h.drain();
    h.clock.advance(1_000);
    const working = h.work(await h.claim(1));
    await made;
    await remove();
    answer({} as never);
    await working;
    expect(await rowOf(address)).toMatchObject({ step: "delete" });
    restore();
    await h.after(60_000);
    expect(h.acceptedEnds).toEqual([]);
    expect(await rowOf(address)).toMatchObject(ERASED);
  });

  it("of a canceled video takes its input at once, and still stops the job that turns up later", async () => {
    h.provider.onSubmit = () => ({ kind: "unknown" });
    const { address, cancel, remove } = await h.createVideo({ input: INPUT });
    await h.drain();
    await cancel();
    await remove();
    await h.drain();
    const { submitToken: _submitToken, ...erased } = ERASED;
    expect(await rowOf(address)).toMatchObject({ ...erased, step: "stop" });
    h.provider.onFind = (token) => `made-${token}`;
    await h.after(60_000);
    expect(h.provider.cancelled).toHaveLength(1);
    expect(await rowOf(address)).toMatchObject(ERASED);
  });

  it("takes the generation out of lists, which go on after it", async () => {
    const videos = [await endedVideo(), await endedVideo(), await endedVideo()];
    const [first, second, third] = videos.map(({ address }) => address.generationId);
    await videos[1]?.remove();
    const list = async (after?: string) => {
      const page = { accountId: h.accountId, mode: Mode.LIVE, kind: Kind.VIDEO, limit: 10 };
      const request = after === undefined ? page : { ...page, after };
      return (await h.client.listGenerations(request)).generations.map(({ id }) => id);
    };
    expect(await list()).toEqual([third, first]);
    expect(await list(second)).toEqual([first]);
  });

  it("leaves its id used: a create with it is refused, and charges nothing", async () => {
    const { address, remove } = await endedVideo();
    await remove();
    const before = await h.balance(h.accountId);
    for (const input of [INPUT, { prompt: "another" }]) {
      for (const replayOnly of [false, true]) {
        const create = h.client.createVideo({ ...address, model: "alpha-2.0", input, replayOnly });
        expect(await refusalOf(create)).toBe(ErrorReason.GENERATION_DELETED);
      }
    }
    expect(await h.balance(h.accountId)).toEqual(before);
  });

  it("of a deleted video is followed by no cancel", async () => {
    const { cancel, remove } = await endedVideo();
    await remove();
    expect(await refusalOf(cancel())).toBe(ErrorReason.GENERATION_DELETED);
  });
});

it("a deletion is refused while the generation is not ended, also when its end is only decided", async () => {
  const { read, remove } = await h.createVideo();
  const refused = () => refusalOf(remove());
  expect(await refused()).toBe(ErrorReason.NOT_FINISHED);
  await h.drain();
  h.clock.advance(1_000);
  const restore = h.replace("billing", { capture: isDown });
  await h.work(await h.claim(10));
  expect(await refused()).toBe(ErrorReason.NOT_FINISHED);
  restore();
  await h.after(60_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
  expect(await refused()).toBeUndefined();
});
