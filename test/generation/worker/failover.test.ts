import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";
import { scriptedRoute, scriptedRoutes } from "../../support/scripted-upstreams.ts";

let h: Harness;
let accountId: string;
let [one, other] = [scriptedRoute("one"), scriptedRoute("other")];
let routes = scriptedRoutes(one, other);
beforeAll(async () => {
  h = await generationHarness();
});
beforeEach(async () => {
  await h.sql`update generation.generations set step = 'done', next_step_at = null where step <> 'done'`;
  await h.sql`update generation.credentials set free_at = 'epoch'`;
  [one, other] = [scriptedRoute("one"), scriptedRoute("other")];
  routes = scriptedRoutes(one, other);
  h.deps.upstreams = routes;
  accountId = await h.account(2_000n);
});
afterAll(() => h[Symbol.asyncDispose]());

async function create() {
  const generationId = randomId("vgen");
  const address = { accountId, mode: Mode.LIVE, generationId };
  await h.client.createVideo({ ...address, model: "alpha-2.0", input: { prompt: "a cat" } });
  return async () => {
    const { generation } = await h.client.getGeneration({ ...address, kind: Kind.VIDEO });
    return generation;
  };
}

const after = async (ms: number) => {
  h.clock.advance(ms);
  await h.drain();
};

describe("a submit that the best route", () => {
  it.each([
    ["is too busy for", { kind: "rejected", fault: "rate_limited" }],
    ["is down for", { kind: "rejected", fault: "unavailable" }],
    ["is closed to", { kind: "closed", fault: "billing", detail: "no credit" }],
  ] as const)("%s goes to the next one at once, with a token of its own", async (_why, answer) => {
    const read = await create();
    one.provider.onSubmit = () => answer;
    await h.drain();
    expect((await read())?.status).toBe(Status.PROCESSING);
    const [first, second] = [one, other].map(({ provider }) => provider.submitted);
    expect([first?.length, second?.length]).toEqual([1, 1]);
    expect(first?.[0]?.token).not.toBe(second?.[0]?.token);
    expect(second?.[0]?.model).toBe("model of other");
    await after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("refuses for what it asks for ends failed with its message, and is tried nowhere else", async () => {
    const read = await create();
    const failure = { code: "content_rejected", message: "Not allowed. Change it." } as const;
    one.provider.onSubmit = () => ({ kind: "refused", failure });
    await h.drain();
    expect(await read()).toMatchObject({ status: Status.FAILED, error: failure });
    expect(other.provider.submitted).toHaveLength(0);
    expect(await h.balance(accountId)).toEqual([2_000n, 0n]);
  });

  it.each([
    ["does not answer", () => ({ kind: "unknown" }) as const],
    ["answers with an error of its adapter", () => Promise.reject(new Error("broken"))],
  ])("%s is sent nowhere else, and is found", async (_how, onSubmit) => {
    const read = await create();
    one.provider.onSubmit = onSubmit;
    const lost = one.provider.submitted;
    one.provider.onFind = (token) => ({ kind: "found", upstreamId: `made-${token}` });
    await h.drain();
    await after(5_000);
    await after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect([lost.length, other.provider.submitted.length]).toEqual([1, 0]);
  });

  it("seems not to have got may still be on its way, and is not sent again for 20 seconds", async () => {
    const read = await create();
    one.provider.onSubmit = () => ({ kind: "unknown" });
    one.provider.onFind = () => ({ kind: "absent" });
    await h.drain();
    for (let i = 0; i < 9; i++) await after(2_000);
    expect(one.provider.submitted).toHaveLength(1);
    expect((await read())?.status).toBe(Status.PENDING);
    one.provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
    await after(40_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect(one.provider.submitted).toHaveLength(2);
  });
});

it("what every answer says of its route is reported, and that a route is busy is no fault of it", async () => {
  const answers = [
    { kind: "accepted", upstreamId: randomId("req") },
    { kind: "rejected", fault: "unavailable" },
    { kind: "rejected", fault: "rate_limited" },
    { kind: "unknown" },
    { kind: "closed", fault: "auth", detail: "wrong key" },
  ] as const;
  for (const answer of answers) {
    await create();
    one.provider.onSubmit = () => answer;
    await h.drain();
    await h.sql`update generation.credentials set free_at = 'epoch'`;
  }
  const kinds = routes.reported.flatMap(([name, { kind }]) => (name === "one" ? [kind] : []));
  expect(kinds).toEqual(["ok", "unavailable", "unavailable", "closed"]);
});

describe("a task that no route takes now", () => {
  it("waits, and runs when a route is open again", async () => {
    const read = await create();
    routes.open = [];
    await h.drain();
    await after(60 * 60_000);
    expect((await read())?.status).toBe(Status.PENDING);
    routes.open = [other];
    await h.drain();
    await after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("is tried again later, not at once", async () => {
    const read = await create();
    for (const { provider } of [one, other]) {
      provider.onSubmit = () => ({ kind: "rejected", fault: "unavailable" });
    }
    await h.drain();
    expect([one, other].map(({ provider }) => provider.submitted.length)).toEqual([1, 1]);
    one.provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
    await after(30_000);
    await h.drain();
    await after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("is not started after its deadline, though a route is open by then", async () => {
    const [waiting, retried] = [await create(), await create()];
    routes.open = [];
    await h.drain();
    await h.sql`
      update generation.generations set step = 'submit', next_step_at = ${h.clock.now()}
      where id = ${(await retried())?.id ?? ""}`;
    routes.open = [other];
    await after(24 * 60 * 60_000 + 60_000);
    for (const read of [waiting, retried]) expect((await read())?.error?.code).toBe("expired");
    expect(other.provider.submitted).toHaveLength(0);
  });

  it("ends expired and restored after 24 hours", async () => {
    const read = await create();
    routes.open = [];
    await after(24 * 60 * 60_000 - 60_000);
    expect((await read())?.status).toBe(Status.PENDING);
    await after(120_000);
    expect(await read()).toMatchObject({ status: Status.FAILED, error: { code: "expired" } });
    expect(await h.balance(accountId)).toEqual([2_000n, 0n]);
  });
});

it("an upstream that says for how long it is too busy is asked nothing by any task until then", async () => {
  routes.open = [one];
  await create();
  one.provider.onSubmit = () => ({ kind: "rejected", fault: "rate_limited", retryAfterMs: 20_000 });
  await h.drain();
  await create();
  await create();
  await after(19_000);
  expect(one.provider.submitted).toHaveLength(1);
  one.provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
  await after(2_000);
  await h.drain();
  expect(one.provider.submitted).toHaveLength(4);
});

it("a task whose route is not configured any more ends at its deadline, restored", async () => {
  const read = await create();
  await h.drain();
  h.deps.upstreams = scriptedRoutes(other);
  await after(21 * 60_000);
  expect((await read())?.error?.code).toBe("upstream_timeout");
  expect(await h.balance(accountId)).toEqual([2_000n, 0n]);
});
