/** What is left of a generation that its account deletes, whatever fails; and of one whose content is no longer kept. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  ImageInputSchema,
  Kind,
  Status,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { FAILURES } from "../../services/generation/domain/failures.ts";
import { failed } from "../../services/generation/providers/shared/outcome.ts";
import type { Submitted } from "../../services/generation/providers/provider.ts";
import { eraseExpired } from "../../services/generation/worker/erase-job.ts";
import { runTask } from "../../services/generation/worker/worker.ts";
import { FINISHED } from "../support/scripted-provider.ts";
import { isDown, pendingCall, refusalOf, useHarness } from "./fixture.ts";

const h = useHarness();
const PROMPT = "a secret cat";
const INPUT = { prompt: PROMPT, negativePrompt: "dogs", metadata: { order: "8841" }, duration: 5 };
const DAY_MS = 24 * 3_600_000;

/** A video that has ended with `status`. */
async function endedVideo(input: object = {}) {
  const video = await h.createVideo({ input: { ...INPUT, ...input } });
  await h.sendAndPoll();
  return video;
}

/** So many videos that have ended now. */
async function fillEnded(count: number): Promise<void> {
  await h.fillQueue(h.accountId, count);
  await h.endTasks();
  await h.sql`
    update generation.generations set status = 'failed', completed_at = ${h.clock.now()}
    where account_id = ${h.accountId}`;
}

async function rowOf({ accountId, generationId }: Record<"accountId" | "generationId", string>) {
  const [row] = await h.sql`
    select coalesce(t.step, 'done') as step, g.status, g.tokens, g.model, g.completed_at, g.input,
      t.input as queued_input, g.output, t.output as decided_output,
      coalesce(t.error_message, g.error_message) as error_message, g.defaulted, g.upstream_id,
      g.submit_token
    from generation.generations g left join generation.tasks t using (account_id, id)
    where g.account_id = ${accountId} and g.id = ${generationId}`;
  return row;
}

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
  it("leaves id, model, times and Tokens; files, input, webhooks and the ids of upstream jobs are deleted", async () => {
    const { address, generationId, read, remove } = await endedVideo();
    const twin = await h.createVideo({ accountId: await h.account(1_000n), generationId });
    await h.sendAndPoll();
    const [before, twinBefore] = [await h.balance(h.accountId), await rowOf(twin)];
    expect((await rowOf(address))?.["upstreamId"]).toMatch(/^job-/);
    // What a replica of 1.0.0 has recorded.
    await h.sql`
      insert into generation.submits (account_id, generation_id, submit_token, credential, upstream_id, created_at)
      values (${h.accountId}, ${generationId}, 't', 'c', '1', now()), (${h.accountId}, '', 't', 'c', '2', now()),
        (${twin.accountId}, ${generationId}, 't', 'c', '3', now())`;
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
    expect(await rowOf(twin)).toEqual(twinBefore);
    expect(await h.sql`select from generation.submits`).toHaveLength(2);
    expect(h.deleted).toEqual([generationId]);
    expect(await h.balance(h.accountId)).toEqual(before);
    const { seconds } = timestampFromDate(h.clock.now());
    const day = { from: { seconds: seconds - 86_400n }, to: { seconds: seconds + 1n } };
    const { usage } = await h.client.getUsage({ ...address, ...day });
    expect(usage).toMatchObject([{ model: "alpha-2.0", tokens: 210n, generations: 1n }]);
  });

  it("leaves no id of a job that is recorded only afterwards, and that job is canceled", async () => {
    await h.endTasks();
    const { call: onSubmit, made, answer } = pendingCall<Submitted>();
    h.provider.onSubmit = onSubmit;
    const { address, cancel, remove } = await h.createVideo({ input: INPUT });
    const worker = runTask(h.paused(), await h.claimOne(), new AbortController().signal);
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

  it("asks nothing of the upstream of a job that has ended, nor for ever of one that cannot be reached", async () => {
    h.provider.onPoll = () => failed(FAILURES.stopped);
    const { address, remove } = await endedVideo();
    h.provider.onCancel = () => Promise.reject(new Error("the key was revoked"));
    await remove();
    await h.drain();
    expect(await rowOf(address)).toMatchObject(ERASED);
    expect(h.provider.cancelled).toEqual([]);
    const late = await endedVideo();
    await h.sql`
      insert into generation.tasks (account_id, id, kind, mode, model, tokens, attempt, step, settling, created_at,
        next_step_at)
      select account_id, id, kind, mode, model, tokens, attempt, 'stop', status, created_at, created_at
      from generation.generations where id = ${late.generationId}`;
    await h.drain();
    expect(await rowOf(late.address)).toMatchObject({ step: "stop" });
    await h.after(21 * 60_000);
    expect(await rowOf(late.address)).toMatchObject({ step: "done" });
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

  it("of a whole account takes all that has ended, 500 at a time", async () => {
    await fillEnded(1_200);
    const erase = async () => (await h.client.eraseAccount(h)).done;
    for (const count of [500, 500, 200]) {
      expect(await erase()).toBe(false);
      expect(await h.sql`select from generation.tasks`).toHaveLength(count);
      await h.drain();
    }
    expect(await erase()).toBe(true);
    expect(new Set(h.deleted).size).toBe(1_200);
  });

  it("cannot be written to by a worker that had the generation before its end", async () => {
    await h.endTasks();
    const { address, remove } = await h.createVideo();
    const early = await h.claimOne();
    await h.work([early]);
    await h.after(1_000);
    await remove();
    expect(await h.claim(1)).toMatchObject([{ step: "delete" }]);
    expect(await h.deps.writes.update(early, { step: "poll" })).toBeUndefined();
    expect(await rowOf(address)).toMatchObject({ step: "delete" });
  });

  it.each([FINISHED, failed(FAILURES.stopped)])(
    "before delivery has accepted the end, $kind, stops the webhook and stands",
    async (polled) => {
      h.provider.onPoll = () => polled;
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
      const discarding = h.replace("delivery", { discardOutput: isDown });
      await h.after(60_000);
      const content = { input: {}, output: [], decidedOutput: null, errorMessage: null };
      expect(await rowOf(address)).toMatchObject(content);
      discarding();
      await h.after(60_000);
      expect(h.acceptedEnds).toEqual([]);
      expect(await rowOf(address)).toMatchObject(ERASED);
    },
  );

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
    const page = { accountId: h.accountId, mode: Mode.LIVE, kind: Kind.VIDEO, limit: 10 };
    const list = async (more: object = {}) =>
      (await h.client.listGenerations({ ...page, ...more })).generations.map(({ id }) => id);
    expect(await list()).toEqual([third, first]);
    expect(await list({ after: second })).toEqual([first]);
  });

  it("leaves its id used: a create with it and a cancel are refused, and charge nothing", async () => {
    const { address, cancel, remove } = await endedVideo();
    await remove();
    expect(await refusalOf(cancel())).toBe(ErrorReason.GENERATION_DELETED);
    const before = await h.balance(h.accountId);
    for (const input of [INPUT, { prompt: "another" }]) {
      for (const replayOnly of [false, true]) {
        const create = h.client.createVideo({ ...address, model: "alpha-2.0", input, replayOnly });
        expect(await refusalOf(create)).toBe(ErrorReason.GENERATION_DELETED);
      }
    }
    expect(await h.balance(h.accountId)).toEqual(before);
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

describe("content retention", () => {
  /** Erases what this account no longer keeps after three days. */
  async function eraseAfterDays(): Promise<void> {
    await h.client.setRetention({ accountId: h.accountId, days: 2 });
    h.clock.advance(3 * DAY_MS);
    await eraseExpired(h.deps);
  }

  const inputOf = async ({ read }: Awaited<ReturnType<typeof endedVideo>>) =>
    (await read())?.input.value;
  const KEPT = { prompt: "", metadata: {}, duration: 5, aspectRatio: "16:9" };

  it("is for ever until it is set, and then of what has ended longer ago, of that account alone", async () => {
    const old = await endedVideo();
    const accountId = await h.account(1_000n);
    const other = await h.createVideo({ accountId, generationId: old.generationId, input: INPUT });
    await h.sendAndPoll();
    h.clock.advance(2 * DAY_MS);
    const young = await endedVideo();
    await eraseExpired(h.deps);
    expect(await inputOf(old)).toMatchObject(INPUT);

    await h.client.setRetention({ accountId: h.accountId, days: 2 });
    expect(await h.client.getRetention({ accountId: h.accountId })).toMatchObject({ days: 2 });
    await eraseExpired(h.deps);
    expect(await old.read()).toMatchObject({ status: Status.SUCCESS, credits: 210n });
    expect((await old.read())?.output).toHaveLength(1);
    const erased = await inputOf(old);
    expect(erased).toMatchObject(KEPT);
    expect(erased).toHaveProperty("metadata", {});
    expect(erased).not.toHaveProperty("negativePrompt", "dogs");
    expect(h.deletedWebhooks).toEqual([old.generationId]);
    expect(await inputOf(young)).toMatchObject(INPUT);
    expect((await other.read())?.input.value).toMatchObject(INPUT);
    await eraseExpired(h.deps);
    expect(h.deletedWebhooks).toHaveLength(1);
  });

  it("keeps the content of an end that delivery has not accepted", async () => {
    const restore = h.replace("delivery", { acceptEnd: isDown });
    const video = await endedVideo({ webhookUrl: "https://hooks.example/" });
    await eraseAfterDays();
    expect(await inputOf(video)).toMatchObject(INPUT);
    restore();
    await h.drain();
    await eraseExpired(h.deps);
    expect(await inputOf(video)).toMatchObject(KEPT);
  });

  it("takes the ids of upstream jobs, which may carry content", async () => {
    const video = await endedVideo();
    const task = async () => (await h.client.getTask(video.address)).task;
    expect((await task())?.upstreamId).not.toBe("");
    await eraseAfterDays();
    expect(await task()).toMatchObject({ upstreamId: "" });
  });

  it("takes every field of an input but these, so that a new one is decided about", async () => {
    const { generationId } = await endedVideo();
    const fields = [VideoInputSchema, ImageInputSchema].flatMap((schema) => schema.fields);
    const all = Object.fromEntries(fields.map(({ name }) => [name, "1"]));
    await h.sql`
    update generation.generations set input = ${h.sql.json(all)} where id = ${generationId}`;
    await eraseAfterDays();
    const [row] = await h.sql<{ input: object }[]>`
    select input from generation.generations where id = ${generationId}`;
    const kept =
      "aspect_ratio audio background duration end_user n output_format prompt prompt_extend resolution size";
    expect(Object.keys(row?.input ?? {}).toSorted()).toEqual(kept.split(" "));
    expect(row?.input).toMatchObject({ prompt: "" });
  });

  it("is repeated where it was cut off between delivery and the rows", async () => {
    const video = await endedVideo();
    const { deleteWebhooks } = h.deps.delivery;
    const restore = h.replace("delivery", {
      deleteWebhooks: (...call) => deleteWebhooks(...call).then(isDown),
    });
    await expect(eraseAfterDays()).rejects.toThrow("no connection");
    restore();
    expect(await inputOf(video)).toMatchObject(INPUT);
    await eraseExpired(h.deps);
    expect(await inputOf(video)).toMatchObject(KEPT);
  });

  it("takes all that has ended, in chunks", async () => {
    await fillEnded(250);
    await eraseAfterDays();
    expect(new Set(h.deletedWebhooks).size).toBe(250);
    const left = await h.sql`
    select from generation.generations where account_id = ${h.accountId} and input->>'prompt' <> ''`;
    expect(left).toHaveLength(0);
  });

  it("leaves replays: the key of an erased generation makes and charges nothing", async () => {
    const { generationId, accountId } = await endedVideo();
    await eraseAfterDays();
    const before = await h.balance(accountId);
    const request = { accountId, mode: Mode.LIVE, generationId, model: "alpha-2.0", input: INPUT };
    expect(await h.client.createVideo(request)).toMatchObject({ replayed: true });
    expect(await h.balance(accountId)).toEqual(before);
  });
});
