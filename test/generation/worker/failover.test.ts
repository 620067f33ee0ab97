/** Failover: which answers send a task to the next upstream, and how tasks wait if none takes them. */
import { describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { scriptedUpstream, scriptedUpstreams } from "../../support/scripted-provider.ts";
import { failedWith, useHarness, useUpstreams } from "../fixture.ts";

const DAY_MS = 24 * 3_600_000;
const h = useHarness({ tokens: 2_000n });
const [one, other] = [scriptedUpstream("one"), scriptedUpstream("other")];
const upstreams = useUpstreams(h, one, other);

const create = async () => (await h.createVideo()).read;

describe("a submit that the best upstream", () => {
  it.each([
    ["is too busy for", { kind: "rejected", fault: "rate_limited" }],
    ["is down for", { kind: "rejected", fault: "unavailable" }],
    ["is closed to", { kind: "closed", fault: "billing", detail: "no credit" }],
  ] as const)("%s goes to the next one at once, with a new token", async (_why, answer) => {
    const read = await create();
    one.provider.onSubmit = () => answer;
    await h.drain();
    expect((await read())?.status).toBe(Status.PROCESSING);
    const [first, second] = [one, other].map(({ provider }) => provider.submitted);
    expect([first?.length, second?.length]).toEqual([1, 1]);
    expect(first?.[0]?.token).not.toBe(second?.[0]?.token);
    expect(second?.[0]?.model).toBe("model of other");
    await h.after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("refuses for its content ends the video as failed with that message, and is sent nowhere else", async () => {
    const read = await create();
    const failure = { code: "content_rejected", message: "Not allowed. Change it." } as const;
    one.provider.onSubmit = () => ({ kind: "refused", failure });
    await h.drain();
    expect(await read()).toMatchObject({ status: Status.FAILED, error: failure });
    expect(other.provider.submitted).toHaveLength(0);
    expect(await h.balance(h.accountId)).toEqual([2_000n, 0n]);
  });

  it.each([
    ["does not answer", () => ({ kind: "unknown" }) as const],
    ["answers with an error of its provider", () => Promise.reject(new Error("broken"))],
  ])("%s is sent nowhere else and is looked up", async (_how, onSubmit) => {
    const read = await create();
    one.provider.onSubmit = onSubmit;
    const lost = one.provider.submitted;
    const sought: { token: string; sentAt: Date }[] = [];
    one.provider.onFind = (token, sentAt) => {
      sought.push({ token, sentAt });
      return `made-${token}`;
    };
    h.clock.advance(2_000);
    const sentAt = h.clock.now();
    await h.drain();
    await h.after(5_000);
    await h.after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect([lost.length, other.provider.submitted.length]).toEqual([1, 0]);
    expect(sought).toEqual(lost.map(({ token }) => ({ token, sentAt })));
  });

  it("never tells what became of is not sent again, and fails at its deadline, restored", async () => {
    const read = await create();
    one.provider.onSubmit = () => ({ kind: "unknown" });
    for (let n = 0; n < 5; n++) {
      await h.drain();
      h.clock.advance(5 * 60_000);
    }
    await h.drain();
    expect(await read()).toMatchObject(failedWith("upstream_timeout"));
    const submits = [one, other].map(({ provider }) => provider.submitted.length);
    expect([submits, await h.balance(h.accountId)]).toEqual([
      [1, 0],
      [2_000n, 0n],
    ]);
  });
});

describe("an upstream that cannot make what a task asks for", () => {
  it("is passed over for the next one that can, also when it has a slot for it", async () => {
    h.deps.upstreams = scriptedUpstreams({ ...one, capabilities: { durations: [5] } }, other);
    const { read } = await h.createVideo({ input: { duration: 10 } });
    const short = await h.createVideo({ input: { duration: 5 } });
    await h.drain();
    const durations = [one, other].map(({ provider }) =>
      provider.submitted.map(({ durationSeconds }) => durationSeconds),
    );
    expect(durations).toEqual([[5], [10]]);
    await h.after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(await short.status()).toBe(Status.SUCCESS);
  });

  it("is not tried after another one's rejection either: the task waits for one that can", async () => {
    const upright = { ...other, capabilities: { aspect_ratios: ["9:16"] } };
    h.deps.upstreams = scriptedUpstreams(one, upright);
    one.provider.onSubmit = () => ({ kind: "rejected", fault: "unavailable" });
    const { status } = await h.createVideo({ input: { aspectRatio: "16:9" } });
    await h.drain();
    expect(await status()).toBe(Status.PENDING);
    expect(other.provider.submitted).toHaveLength(0);
    one.provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
    await h.after(30_000);
    await h.drain();
    expect(await status()).not.toBe(Status.PENDING);
  });
});

describe("a task that no upstream takes now", () => {
  it("waits, and runs when an upstream is available again", async () => {
    const read = await create();
    upstreams.availableUpstreams = [];
    await h.drain();
    await h.after(60 * 60_000);
    expect((await read())?.status).toBe(Status.PENDING);
    upstreams.availableUpstreams = [other];
    await h.sendAndPoll();
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
    await h.after(30_000);
    await h.sendAndPoll();
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("is not started after its deadline, even if an upstream is available then", async () => {
    const [waiting, retried] = [await create(), await create()];
    upstreams.availableUpstreams = [];
    await h.after(24 * 60 * 60_000 - 60_000);
    expect((await waiting())?.status).toBe(Status.PENDING);
    await h.sql`
      update generation.tasks set step = 'submit', next_step_at = ${h.clock.now()}
      where id = ${(await retried())?.id ?? ""}`;
    upstreams.availableUpstreams = [other];
    await h.after(120_000);
    for (const read of [waiting, retried]) expect((await read())?.error?.code).toBe("expired");
    expect(other.provider.submitted).toHaveLength(0);
    expect(await h.balance(h.accountId)).toEqual([2_000n, 0n]);
  });
});

it.each([
  ["a day", DAY_MS],
  ["more than any date", 1e17],
])(
  "a task whose upstream asks for %s is sent again within two minutes",
  async (_text, retryAfterMs) => {
    upstreams.availableUpstreams = [one];
    const { read } = await h.createVideo();
    one.provider.onSubmit = () => ({ kind: "rejected", fault: "rate_limited", retryAfterMs });
    await h.drain();
    one.provider.onSubmit = (job) => ({ kind: "accepted", upstreamId: job.token });
    for (let minute = 0; minute < 2; minute++) await h.after(60_000);
    await h.after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  },
);

it("a task whose upstream is not configured any more ends at its deadline, restored", async () => {
  const read = await create();
  await h.drain();
  h.deps.upstreams = scriptedUpstreams(other);
  await h.after(21 * 60_000);
  expect((await read())?.error?.code).toBe("upstream_timeout");
  expect(await h.balance(h.accountId)).toEqual([2_000n, 0n]);
});
