/** Retention: content that an account no longer keeps is deleted, and the generation stays. */
import { expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { eraseExpired } from "../../../services/generation/worker/erase-job.ts";
import { isDown, useHarness } from "../fixture.ts";

const h = useHarness();
const DAY_MS = 24 * 3_600_000;
const INPUT = {
  prompt: "a secret cat",
  negativePrompt: "dogs",
  metadata: { order: "8841" },
  duration: 5,
};

async function endedVideo(input: object = {}) {
  const { status: _status, ...video } = await h.createVideo({ input: { ...INPUT, ...input } });
  await h.sendAndPoll();
  return video;
}
/** Erases what this account no longer keeps after three days. */
async function eraseAfterDays(): Promise<void> {
  await h.client.setRetention({ accountId: h.accountId, days: 2 });
  h.clock.advance(3 * DAY_MS);
  await eraseExpired(h.deps);
}

const inputOf = async ({ read }: Awaited<ReturnType<typeof endedVideo>>) =>
  (await read())?.input.value;
const ERASED = { prompt: "", metadata: {}, duration: 5, aspectRatio: "16:9" };

it("is for ever until it is set, and then of what has ended longer ago, of that account alone", async () => {
  const old = await endedVideo();
  const accountId = await h.account(1_000n);
  const other = await h.createVideo({ accountId, input: INPUT });
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
  expect(erased).toMatchObject(ERASED);
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
  expect(await inputOf(video)).toMatchObject(ERASED);
});

it("takes every URL and seed that a client named, and the ids of upstream jobs, which may carry them", async () => {
  const named = {
    imageUrl: "https://pictures.test/first.png",
    lastImageUrl: "https://pictures.test/last.png",
    seed: 8841,
    audio: true,
  };
  const video = await endedVideo(named);
  expect(await inputOf(video)).toMatchObject(named);
  const task = async () => (await h.client.getTask(video.address)).task;
  expect((await task())?.upstreamId).not.toBe("");
  await eraseAfterDays();
  expect(await task()).toMatchObject({ upstreamId: "" });
  const [row] = await h.sql<{ input: object }[]>`
    select input from generation.generations where id = ${video.generationId}`;
  expect(row?.input).toEqual({ prompt: "", duration: 5, aspect_ratio: "16:9", audio: true });
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
  expect(await inputOf(video)).toMatchObject(ERASED);
});

it("takes all that has ended, in chunks", async () => {
  await h.sql`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt,
      status, created_at, completed_at)
    select ${h.accountId}, 'vgen_' || lpad(n::text, 26, '0'), 'video', 'live', 'alpha-2.0', '{"prompt": "a cat"}', '{}',
      1, 1, 'failed', ${h.clock.now()}, ${h.clock.now()}
    from generate_series(1, 250) as n`;
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
