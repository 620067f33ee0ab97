/** Images: those that are jobs at their upstream, and those that are made within one call. */
import { beforeEach, describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import {
  scriptedUpstream,
  scriptedUpstreams,
  type ScriptedUpstream,
} from "../../support/scripted-upstreams.ts";
import { running } from "../../support/scripted-provider.ts";
import { after, createImage, useHarness } from "../fixture.ts";

const h = useHarness();
let [jobs, direct] = [jobUpstream("jobs"), scriptedUpstream("direct")];
beforeEach(async () => {
  await h.endTasks();
  [jobs, direct] = [jobUpstream("jobs"), scriptedUpstream("direct")];
  h.deps.upstreams = scriptedUpstreams(jobs);
});

/** An upstream whose images, too, are jobs. */
function jobUpstream(name: string): ScriptedUpstream {
  const upstream = scriptedUpstream(name);
  delete (upstream.provider as Partial<typeof upstream.provider>).image;
  return upstream;
}

async function create() {
  const { read, status } = await createImage(h);
  expect(await status()).toBe(Status.PROCESSING);
  return read;
}

describe("an image of an upstream whose images are jobs", () => {
  it("is submitted, polled at least once a second, stored and charged", async () => {
    const read = await create();
    const { onPoll } = jobs.provider;
    jobs.provider.onPoll = () => running(15_000);
    await h.drain();
    expect(jobs.provider.submitted[0]).toMatchObject({ kind: "image", prompt: "a cat" });
    await after(h, 1_000);
    jobs.provider.onPoll = onPoll;
    await after(h, 1_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("goes on after its submit was not answered: the job is found and not submitted again", async () => {
    const read = await create();
    jobs.provider.onSubmit = () => ({ kind: "unknown" });
    jobs.provider.onFind = (token) => ({ kind: "found", upstreamId: `made-${token}` });
    await h.drain();
    await after(h, 2_000);
    await after(h, 2_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(jobs.provider.submitted).toHaveLength(1);
  });

  it("ends as a timeout after five minutes, restored, and its job is canceled", async () => {
    const read = await create();
    jobs.provider.onPoll = () => running(1_000);
    await h.drain();
    await after(h, 5 * 60_000 + 1_000);
    expect(await read()).toMatchObject({
      status: Status.FAILED,
      error: { code: "upstream_timeout" },
    });
    expect(jobs.provider.cancelled).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });
});

describe("an image", () => {
  it.each([
    { kind: "rejected", fault: "unavailable" },
    { kind: "closed", fault: "auth", detail: "wrong key" },
  ] as const)(
    "that an upstream certainly did not take (%o) goes to the next one at once",
    async (answer) => {
      h.deps.upstreams = scriptedUpstreams(direct, jobs);
      const read = await create();
      direct.provider.onImage = () => answer;
      await h.drain();
      await after(h, 1_000);
      expect((await read())?.status).toBe(Status.SUCCESS);
      expect([direct, jobs].map(({ provider }) => provider.submitted.length)).toEqual([1, 1]);
    },
  );

  it("that no upstream takes ends as a timeout after five minutes, restored", async () => {
    h.deps.upstreams = Object.assign(scriptedUpstreams(jobs), { open: [] });
    const read = await create();
    await after(h, 5 * 60_000 + 1_000);
    expect((await read())?.error?.code).toBe("upstream_timeout");
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("whose upstream never answers ends as a timeout, even if the adapter ignores its signal", async () => {
    h.deps.upstreams = scriptedUpstreams(direct);
    const read = await create();
    direct.provider.onImage = () => new Promise(() => {});
    const drained = h.drain();
    await expect.poll(() => direct.provider.submitted.length).toBe(1);
    for (let i = 0; i < 110; i++) h.clock.advance(3_000);
    await drained;
    expect((await read())?.error?.code).toBe("upstream_timeout");
  });

  it("whose copy fails is copied again until the deadline", async () => {
    h.deps.upstreams = scriptedUpstreams(direct);
    const read = await create();
    h.faults.store = true;
    const drained = h.drain();
    await expect.poll(() => direct.provider.submitted.length).toBe(1);
    h.faults.store = false;
    await expect
      .poll(async () => {
        h.clock.advance(500);
        return (await read())?.status;
      })
      .toBe(Status.SUCCESS);
    await drained;
    expect(direct.provider.submitted).toHaveLength(1);
  });
});
