/**
 * Providers behind the engine: a create whose answer was lost is one upstream job, and a result is fetched with
 * its key.
 */
import { describe, expect, test } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { CreateProvider, Job } from "../../../services/generation/providers/provider.ts";
import { arkProvider } from "../../../services/generation/providers/vendors/ark.ts";
import { dashscopeProvider } from "../../../services/generation/providers/vendors/dashscope.ts";
import { geminiProvider } from "../../../services/generation/providers/vendors/gemini.ts";
import { startArk } from "../../support/fake-upstreams/ark.ts";
import { startDashscope } from "../../support/fake-upstreams/dashscope.ts";
import { RESULT_PATH, type FakeUpstream } from "../../support/fake-upstreams/fake-upstream.ts";
import { startGeminiFake } from "../../support/fake-upstreams/gemini.ts";
import { failedWith, useHarness } from "../fixture.ts";

const TOKENS = 10_000n;

const h = useHarness({ tokens: TOKENS });

/** The engine's upstream is this fake from now on, behind its real provider. */
function putBehind(
  createProvider: CreateProvider,
  fake: FakeUpstream,
  model: string,
  parameters = {},
) {
  const provider = createProvider({
    baseUrl: fake.baseUrl,
    key: fake.key,
    clock: h.clock,
  });
  Object.assign(h.provider, provider, {
    submit: (job: Job, signal: AbortSignal) =>
      provider.submit({ ...job, model, parameters }, signal),
  });
}

const create = async () => (await h.createVideo({ model: "beta-3.0-video" })).read;

const submitsTo = (fake: FakeUpstream) =>
  fake.requests.filter(({ operation }) => operation === "submit").length;

describe("the connection drops after the upstream recorded the job", () => {
  test("where the upstream can tell, the job is found, and ends in success", async () => {
    await using fake = await startArk(h.clock);
    putBehind(arkProvider, fake, "dreamina-seedance-2-0-260128");
    fake.once("submit", { afterwards: "drop" });
    const read = await create();
    await h.drain();
    expect((await read())?.status).toBe(Status.PENDING);
    for (let n = 0; n < 5; n++) {
      await h.after(60_000);
    }
    expect(await read()).toMatchObject({ status: Status.SUCCESS });
    expect([fake.jobs.length, submitsTo(fake)]).toEqual([1, 1]);
    const url = `${new URL(fake.baseUrl).origin}${RESULT_PATH}`;
    expect(h.stored.map(({ sources }) => sources[0]?.from.value)).toEqual([url]);
    expect((await h.balance(h.accountId))[1]).toBe(0n);
  });

  test("where it cannot, nothing is sent again, and the task ends failed and restored", async () => {
    await using fake = await startDashscope(h.clock);
    putBehind(dashscopeProvider, fake, "wan3.0-video", { dialect: "C" });
    fake.once("submit", { afterwards: "drop" });
    const read = await create();
    for (let n = 0; n < 20; n++) {
      await h.drain();
      h.clock.advance(5 * 60_000);
    }
    expect(await read()).toMatchObject(failedWith("upstream_timeout"));
    expect([fake.jobs.length, submitsTo(fake)]).toEqual([1, 1]);
    expect(await h.balance(h.accountId)).toEqual([TOKENS, 0n]);
  });
});

test("the key reaches the copier with a result on the upstream's own origin", async () => {
  await using fake = await startGeminiFake();
  putBehind(geminiProvider, fake, "gemini-omni-1.2-flash");
  const read = await create();
  await h.drain();
  fake.says(fake.jobs[0]?.id ?? "", { status: "completed" });
  await h.after(15_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
  expect(h.stored.at(-1)?.sources).toMatchObject([
    { configuredOrigin: true, headers: { "x-goog-api-key": fake.key } },
  ]);
});
