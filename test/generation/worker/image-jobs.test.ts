import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";
import { scriptedRoute, scriptedRoutes } from "../../support/scripted-upstreams.ts";
import type { ScriptedRoute } from "../../support/scripted-upstreams.ts";

let h: Harness;
let accountId: string;
let [jobs, direct] = [jobRoute("jobs"), scriptedRoute("direct")];
beforeAll(async () => {
  h = await generationHarness();
});
beforeEach(async () => {
  await h.sql`update generation.generations set step = 'done', next_step_at = null where step <> 'done'`;
  [jobs, direct] = [jobRoute("jobs"), scriptedRoute("direct")];
  h.deps.upstreams = scriptedRoutes(jobs);
  h.reset();
  accountId = await h.account(1_000n);
});
afterAll(() => h[Symbol.asyncDispose]());

/** An upstream whose images, too, are jobs. */
function jobRoute(name: string): ScriptedRoute {
  const route = scriptedRoute(name);
  delete (route.provider as Partial<typeof route.provider>).image;
  return route;
}

async function create() {
  const generationId = randomId("igen");
  const address = { accountId, mode: Mode.LIVE, generationId };
  const input = { prompt: "a cat" };
  const { generation } = await h.client.createImage({
    ...address,
    model: "gamma-image-3.0-pro",
    input,
    waitSeconds: 0,
  });
  expect(generation?.status).toBe(Status.PROCESSING);
  return async () => {
    const found = await h.client.getGeneration({ ...address, kind: Kind.IMAGE });
    return found.generation;
  };
}

const after = async (ms: number) => {
  h.clock.advance(ms);
  await h.drain();
};

describe("an image of an upstream whose images are jobs", () => {
  it("is submitted, polled at least once a second, stored and charged", async () => {
    const read = await create();
    const { onPoll } = jobs.provider;
    jobs.provider.onPoll = () => ({ kind: "running", pollAfterMs: 15_000 });
    await h.drain();
    expect(jobs.provider.submitted[0]).toMatchObject({ kind: "image", prompt: "a cat" });
    await after(1_000);
    jobs.provider.onPoll = onPoll;
    await after(1_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(await h.balance(accountId)).toEqual([958n, 0n]);
  });

  it("goes on where a killed process left it: the job is found and not made again", async () => {
    const read = await create();
    jobs.provider.onSubmit = () => ({ kind: "unknown" });
    jobs.provider.onFind = (token) => ({ kind: "found", upstreamId: `made-${token}` });
    await h.drain();
    await after(2_000);
    await after(2_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(jobs.provider.submitted).toHaveLength(1);
  });

  it("ends as a timeout after five minutes, restored, and its job is cancelled", async () => {
    const read = await create();
    jobs.provider.onPoll = () => ({ kind: "running", pollAfterMs: 1_000 });
    await h.drain();
    await after(5 * 60_000 + 1_000);
    expect(await read()).toMatchObject({
      status: Status.FAILED,
      error: { code: "upstream_timeout" },
    });
    expect(jobs.provider.cancelled).toHaveLength(1);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });
});

describe("an image", () => {
  it.each([
    { kind: "rejected", fault: "unavailable" },
    { kind: "closed", fault: "auth", detail: "wrong key" },
  ] as const)(
    "that an upstream certainly did not take (%o) goes to the next at once",
    async (answer) => {
      h.deps.upstreams = scriptedRoutes(direct, jobs);
      const read = await create();
      direct.provider.onImage = () => answer;
      await h.drain();
      await after(1_000);
      expect((await read())?.status).toBe(Status.SUCCESS);
      expect([direct, jobs].map(({ provider }) => provider.submitted.length)).toEqual([1, 1]);
    },
  );

  it("that no upstream takes ends as a timeout after five minutes, restored", async () => {
    h.deps.upstreams = Object.assign(scriptedRoutes(jobs), { open: [] });
    const read = await create();
    await after(5 * 60_000 + 1_000);
    expect((await read())?.error?.code).toBe("upstream_timeout");
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });

  it("whose upstream never answers ends as a timeout, though the adapter overlooks its signal", async () => {
    h.deps.upstreams = scriptedRoutes(direct);
    const read = await create();
    direct.provider.onImage = () => new Promise(() => {});
    const drained = h.drain();
    await expect.poll(() => direct.provider.submitted.length).toBe(1);
    for (let i = 0; i < 110; i++) h.clock.advance(3_000);
    await drained;
    expect((await read())?.error?.code).toBe("upstream_timeout");
  });

  it("is copied again where the copy failed, until the deadline", async () => {
    h.deps.upstreams = scriptedRoutes(direct);
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
