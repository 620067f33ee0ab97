/** Adapters at work in the service: what their upstreams do becomes one job, one charge and one result. */
import { beforeEach, expect, test } from "vitest";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Adapter } from "../../../services/generation/providers/shared/adapter.ts";
import { falProvider } from "../../../services/generation/providers/fal/fal.ts";
import { geminiProvider } from "../../../services/generation/providers/gemini/gemini.ts";
import type { Upstream } from "../../../services/generation/upstreams/upstreams.ts";
import { openaiProvider } from "../../../services/generation/providers/openai/openai.ts";
import { replicateProvider } from "../../../services/generation/providers/replicate/replicate.ts";
import type { FakeUpstream } from "../../support/fake-upstreams/fake-upstream.ts";
import { startFalFake } from "../../support/fake-upstreams/fal.ts";
import { startGeminiFake } from "../../support/fake-upstreams/gemini.ts";
import { openaiError, startOpenaiFake } from "../../support/fake-upstreams/openai.ts";
import { startReplicateFake } from "../../support/fake-upstreams/replicate.ts";
import { scriptedUpstreams } from "../../support/scripted-upstreams.ts";
import { after, createImage, createVideo, useHarness } from "../fixture.ts";

const h = useHarness();
beforeEach(() => h.endTasks());

/** Every model goes to this upstream from now on. */
function upstreamTo(adapter: Adapter, fake: FakeUpstream, words: Partial<Upstream> = {}) {
  const { baseUrl, key } = fake;
  const upstream: Upstream = {
    name: `upstream to ${baseUrl}`,
    credential: `key of ${baseUrl}`,
    provider: adapter({ baseUrl, key, clock: h.clock }),
    upstreamModel: "owner/name",
    parameters: {},
    limits: {},
    ...words,
  };
  h.deps.upstreams = scriptedUpstreams(upstream);
}

async function create(kind: Kind) {
  const made = await (kind === Kind.VIDEO
    ? createVideo(h, { model: "beta-3.0-video" })
    : createImage(h));
  await h.drain();
  return made.read;
}

test("a submit whose answer was lost is found by its seed: one upstream job, charged once", async () => {
  await using fake = await startReplicateFake(h.clock);
  upstreamTo(replicateProvider, fake, { parameters: { names: { seed: "seed" } } });
  fake.once("submit", { afterwards: "drop" });
  const read = await create(Kind.VIDEO);
  expect((await read())?.status).toBe(Status.PENDING);
  for (let i = 0; i < 5; i++) await after(h, 5_000);
  expect((await read())?.status).toBe(Status.PROCESSING);
  fake.says(fake.jobs[0]?.id ?? "", { status: "succeeded" });
  await after(h, 15_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
  expect(fake.jobs).toHaveLength(1);
  expect(fake.requests.filter(({ operation }) => operation === "submit")).toHaveLength(1);
  expect(await h.balance(h.accountId)).toEqual([500n, 0n]);
});

test("an image of a queue is made within its request's time, as one job", async () => {
  await using fake = await startFalFake();
  upstreamTo(falProvider, fake, { upstreamModel: "fal-ai/some-model" });
  const read = await create(Kind.IMAGE);
  const json = { images: [{ url: "https://files.test/1.png" }] };
  fake.says(fake.jobs[0]?.id ?? "", { status: "COMPLETED", result: { status: 200, json } });
  await after(h, 1_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
  expect(h.stored[0]?.sources).toMatchObject([
    {
      from: { case: "url", value: "https://files.test/1.png" },
      configuredOrigin: false,
      headers: {},
    },
  ]);
  expect(fake.jobs).toHaveLength(1);
});

test("an image that an upstream documents as not taken is made by the next one", async () => {
  await using full = await startOpenaiFake();
  await using other = await startOpenaiFake();
  const gpt = { upstreamModel: "gpt-image-2" };
  upstreamTo(openaiProvider, full, gpt);
  const [first] = h.deps.upstreams.available("live", "");
  upstreamTo(openaiProvider, other, gpt);
  const [second] = h.deps.upstreams.available("live", "");
  if (!first || !second) throw new Error("two upstreams");
  h.deps.upstreams = scriptedUpstreams(first, second);
  full.once("image", { instead: openaiError(503, "server_is_overloaded", "Try again later.") });
  const read = await create(Kind.IMAGE);
  expect((await read())?.status).toBe(Status.SUCCESS);
  expect([full, other].map(({ requests }) => requests.length)).toEqual([1, 1]);
});

test("the key reaches the copier with a result on the upstream's own origin", async () => {
  await using fake = await startGeminiFake();
  upstreamTo(geminiProvider, fake, { upstreamModel: "gemini-omni-1.2-flash" });
  const read = await create(Kind.VIDEO);
  fake.says(fake.jobs[0]?.id ?? "", { status: "completed" });
  await after(h, 15_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
  expect(h.stored[0]?.sources).toMatchObject([
    { configuredOrigin: true, headers: { "x-goog-api-key": fake.key } },
  ]);
});

test("what an upstream refuses ends failed at once, in our own words, with the Tokens restored", async () => {
  await using fake = await startOpenaiFake();
  upstreamTo(openaiProvider, fake);
  const words = "Your request was rejected by our safety system, said the upstream.";
  fake.once("submit", { instead: openaiError(400, "moderation_blocked", words) });
  const read = await create(Kind.VIDEO);
  const generation = await read();
  expect(generation).toMatchObject({ status: Status.FAILED, error: { code: "content_rejected" } });
  expect(generation?.error?.message).not.toContain("safety system");
  expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
});
