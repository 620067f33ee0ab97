/** Failover: which answers send a task to the next upstream, how tasks wait if none takes them, and what is paused. */
import { Registry } from "prom-client";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { taskMetrics } from "../../../services/generation/metrics/metrics.ts";
import type { Job } from "../../../services/generation/domain/job.ts";
import type { Submitted } from "../../../services/generation/providers/provider.ts";
import { forgetFaults } from "../../../services/generation/store/slots.ts";
import { readTaskFigures } from "../../../services/generation/store/tasks.ts";
import { createClaimWork } from "../../../services/generation/worker/worker.ts";
import { holds } from "../../support/alert-rules.ts";
import { scrape } from "../../support/scrape.ts";
import {
  FINISHED,
  running,
  scriptedUpstream,
  scriptedUpstreams,
} from "../../support/scripted-provider.ts";
import { failedWith, useHarness, useUpstreams } from "../fixture.ts";

const h = useHarness({ tokens: 100_000n });
const [one, other] = [scriptedUpstream("one"), scriptedUpstream("other")];
const upstreams = useUpstreams(h, one, other);

const create = async () => (await h.createVideo()).read;
const accept = ({ token }: Job): Submitted => ({ kind: "accepted", upstreamId: `job-${token}` });
const limited = (retryAfterMs: number): Submitted => {
  return { kind: "rejected", fault: "rate_limited", retryAfterMs };
};

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
    expect(await h.balance(h.accountId)).toEqual([100_000n, 0n]);
  });

  it("rejects after its worker has lost the task is sent nowhere else by that worker", async () => {
    await create();
    one.provider.onSubmit = async () => {
      await h.sql`update generation.tasks set lease_until = ${h.clock.now()}`;
      expect(await h.claim(1)).toHaveLength(1);
      return { kind: "rejected", fault: "unavailable" };
    };
    await h.drain();
    expect(other.provider.submitted).toHaveLength(0);
  });

  it.each([
    ["does not answer", () => ({ kind: "unknown" }) as const],
    ["answers with an error of its provider", () => Promise.reject(new Error("broken"))],
  ])("%s is sent nowhere else and is looked up", async (_how, onSubmit) => {
    const read = await create();
    one.provider.onSubmit = onSubmit;
    const find = vi.fn<(token: string, sentAt: Date) => string>((token) => `made-${token}`);
    one.provider.onFind = find;
    h.clock.advance(2_000);
    const sentAt = h.clock.now();
    await h.drain();
    await h.after(5_000);
    await h.after(1_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    const [lost, ...others] = [one, other].flatMap(({ provider }) => provider.submitted);
    expect(others).toEqual([]);
    expect(find.mock.calls).toEqual([[lost?.token, sentAt]]);
  });

  it("does not answer has the time from its submit, however late its job is found", async () => {
    const read = await create();
    one.provider.onSubmit = () => ({ kind: "unknown" });
    one.provider.onPoll = () => running(1_000);
    await h.drain();
    one.provider.onFind = () => "job";
    await h.after(19 * 60_000);
    expect((await read())?.status).toBe(Status.PROCESSING);
    await h.after(61_000);
    expect(await read()).toMatchObject(failedWith("upstream_timeout"));
    expect(one.provider.cancelled).toEqual(["job"]);
    expect(await h.balance(h.accountId)).toEqual([100_000n, 0n]);
  });

  it.each([
    ["never tells what became of", () => undefined],
    ["says to be the job of another task", () => "another's job"],
  ])("%s is not sent again, and fails at its deadline, restored", async (_what, onFind) => {
    const another = await create();
    one.provider.onSubmit = () => ({ kind: "accepted", upstreamId: "another's job" });
    one.provider.onPoll = () => running(1_000);
    await h.drain();
    const read = await create();
    Object.assign(one.provider, { onSubmit: () => ({ kind: "unknown" }), onFind });
    for (let n = 0; n < 5; n++) {
      await h.drain();
      h.clock.advance(5 * 60_000);
    }
    await h.drain();
    expect(await read()).toMatchObject(failedWith("upstream_timeout"));
    expect([one, other].map(({ provider }) => provider.submitted.length)).toEqual([2, 0]);
    expect(await another()).toMatchObject(failedWith("upstream_timeout"));
    expect(await h.balance(h.accountId)).toEqual([100_000n, 0n]);
  });
});

it("a job that a replica of 1.0.0 has recorded apart from its task is not lost", async () => {
  const read = await create();
  one.provider.onSubmit = () => ({ kind: "unknown" });
  one.provider.onPoll = () => FINISHED;
  await h.drain();
  await h.sql`
    insert into generation.submits (account_id, generation_id, submit_token, credential, upstream_id, created_at)
    select account_id, id, submit_token, credential, 'job', now() from generation.tasks`;
  await h.after(60_000);
  await h.after(60_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
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
    one.provider.onSubmit = accept;
    await h.after(30_000);
    await h.drain();
    expect(await status()).not.toBe(Status.PENDING);
  });
});

describe("a task that no upstream takes now", () => {
  it("because this replica's catalog lacks its frame waits for one that has it", async () => {
    const { catalog } = h.deps;
    await create();
    h.deps.catalog = { ...catalog, frame: () => ({ width: 0, height: 0 }) };
    await h.drain();
    h.deps.catalog = catalog;
    await h.after(1_000);
    expect(one.provider.submitted).toMatchObject([{ height: 720 }]);
  });

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
    expect(await h.balance(h.accountId)).toEqual([100_000n, 0n]);
  });
});

it.each([
  ["a day", 24 * 3_600_000],
  ["more than any date", 1e17],
])("a task whose upstream asks for %s is sent again within two minutes", async (_text, askedMs) => {
  upstreams.availableUpstreams = [one];
  const read = await create();
  one.provider.onSubmit = () => limited(askedMs);
  await h.drain();
  one.provider.onSubmit = accept;
  for (let minute = 0; minute < 2; minute++) await h.after(60_000);
  await h.after(1_000);
  expect((await read())?.status).toBe(Status.SUCCESS);
});

it("a task whose upstream is not configured any more ends at its deadline, restored", async () => {
  const read = await create();
  await h.drain();
  h.deps.upstreams = scriptedUpstreams(other);
  await h.after(21 * 60_000);
  expect((await read())?.error?.code).toBe("upstream_timeout");
  expect(await h.balance(h.accountId)).toEqual([100_000n, 0n]);
});

/** A paused upstream gets no task from any replica, and the first task afterwards is the trial. */
describe("pauses", () => {
  const MINUTE_MS = 60_000;
  const UNAVAILABLE = { kind: "rejected", fault: "unavailable" } as const;
  const [one, other] = [scriptedUpstream("one"), scriptedUpstream("other")];
  /** Of the same account as `one`. */
  const same = { ...scriptedUpstream("same"), credential: one.credential };
  for (const { provider } of [one, same, other]) provider.onPoll = () => running(3_600_000);
  useUpstreams(h, one, same, other);

  /** Creates one task after the other; to which upstreams each was sent. */
  async function sent(count = 1): Promise<string[]> {
    const before = [one, same, other].map(({ provider }) => provider.submitted.length);
    for (let i = 0; i < count; i++) {
      await h.fillQueue(randomId("acct"), 1);
      await h.drain();
    }
    return [one, same, other].flatMap(({ name, provider }, index) =>
      provider.submitted.slice(before[index]).map(() => name),
    );
  }

  /** Whether the alert's condition holds now. */
  async function isOn(alert: string): Promise<boolean> {
    const registry = new Registry();
    taskMetrics(registry, h.clock, () => readTaskFigures(h.sql, h.clock.now()), []);
    return holds(alert, await scrape(registry));
  }

  describe("an upstream that is unavailable", () => {
    it("is paused from the fifth failure in a row on, for 5 s and then twice as long, until its trial works", async () => {
      one.provider.onSubmit = () => UNAVAILABLE;
      expect(await sent(4)).toEqual([...Array(4).fill("one"), ...Array(4).fill("same")]);
      expect(await isOn("UpstreamUnavailable")).toBe(false);
      expect(await sent()).toEqual(["one", "same"]);
      expect(await isOn("UpstreamUnavailable")).toBe(true);
      for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000]) {
        h.clock.advance(pauseMs - 1_000);
        expect(await sent()).toEqual(["same"]);
        h.clock.advance(1_000);
        expect(await sent(2)).toEqual(["one", "same", "same"]);
      }
      h.clock.advance(MINUTE_MS);
      one.provider.onSubmit = accept;
      expect(await sent(2)).toEqual(["one", "one"]);
      expect(await isOn("UpstreamUnavailable")).toBe(false);
    });

    it("is not paused by failures with an answer between them, nor by those that came together twice", async () => {
      for (let i = 0; i < 2; i++) {
        one.provider.onSubmit = () => UNAVAILABLE;
        await sent(4);
        one.provider.onSubmit = accept;
        expect(await sent()).toEqual(["one"]);
      }
      one.provider.onSubmit = () => UNAVAILABLE;
      await h.fillQueue(randomId("acct"), 12);
      await h.drain();
      h.clock.advance(5_000);
      one.provider.onSubmit = accept;
      expect(await sent()).toEqual(["one"]);
    });

    it("is not paused by lost answers to jobs whose pictures it fetches, which may be the host's fault", async () => {
      one.provider.onSubmit = () => ({ kind: "unknown" });
      const input = { imageUrl: "https://slow.example/p.png" };
      for (let i = 0; i < 6; i++) {
        await h.createVideo({ input });
        await h.drain();
      }
      expect(await sent()).toEqual(["one"]);
      one.provider.takesBytes = true;
      for (let i = 0; i < 5; i++) await h.createVideo({ input });
      await h.drain();
      expect(await sent()).toEqual(["same"]);
    });

    it("is not paused by submits that a stop of a replica cuts off", async () => {
      const stop = new AbortController();
      const stopping = { ...h.deps, deadline: stop.signal };
      one.provider.onSubmit = () => {
        stop.abort();
        return { kind: "unknown" };
      };
      await h.fillQueue(randomId("acct"), 6);
      await h.work(await h.claim(20), stopping);
      expect(await sent()).toEqual(["one"]);
    });
  });

  it("the trial is one task of one replica, and another only if it has not ended after half a minute", async () => {
    one.provider.onSubmit = () => UNAVAILABLE;
    await sent(5);
    h.clock.advance(5_000);
    await h.fillQueue(randomId("acct"), 8);
    const replicas = [createClaimWork(h.deps), createClaimWork(h.deps)];
    const claimAll = async () => (await Promise.all(replicas.map((claim) => claim(20)))).flat();
    const rows = [...(await claimAll()), ...(await claimAll())];
    const claimed = rows.filter(({ step }) => step === "submit");
    const trials = claimed.filter(({ upstream }) => upstream === "one");
    expect([trials.length, claimed.length]).toEqual([1, 8]);
    h.clock.advance(29_000);
    expect(await sent()).toEqual(["same"]);
    h.clock.advance(1_000);
    one.provider.onSubmit = accept;
    expect(await sent(2)).toEqual(["one", "one"]);
  });

  it("the trial does not end a pause that its account gets meanwhile", async () => {
    one.provider.onSubmit = () => UNAVAILABLE;
    await sent(5);
    h.clock.advance(5_000);
    same.provider.onSubmit = () => limited(20_000);
    one.provider.onSubmit = async (job) => {
      one.provider.onSubmit = accept;
      await sent();
      return accept(job);
    };
    expect(await sent()).toEqual(["one", "same", "other"]);
    expect(await sent()).toEqual(["other"]);
    h.clock.advance(20_000);
    expect(await sent(2)).toEqual(["one", "one"]);
  });

  describe("a fault that operators have to mend", () => {
    it.each([
      ["auth", "credential key of one", ["other"]],
      ["billing", "credential key of one", ["other"]],
      ["config", "upstream one", ["same"]],
    ] as const)("%s pauses the %s alone, with an alert", async (fault, paused, next) => {
      const logged: object[] = [];
      const write = (line: string) => void logged.push(JSON.parse(line) as object);
      h.deps.log = createLog("test", "error", { write });
      one.provider.onSubmit = () => ({ kind: "closed", fault, detail: "told by it" });
      expect(await sent()).toEqual(["one", ...next]);
      expect(await sent()).toEqual(next);
      expect(logged).toMatchObject([{ alert: true, level: "error", paused, fault }]);
      expect(await isOn("UpstreamClosed")).toBe(true);
    });

    it("is tried after 5 minutes, then after twice as long up to an hour, and at once after a start", async () => {
      one.provider.onSubmit = () => ({ kind: "closed", fault: "config", detail: "no such model" });
      expect(await sent()).toEqual(["one", "same"]);
      for (const minutes of [5, 10, 20, 40, 60]) {
        h.clock.advance(minutes * MINUTE_MS - 1_000);
        expect(await sent()).toEqual(["same"]);
        h.clock.advance(1_000);
        expect(await sent()).toEqual(["one", "same"]);
      }
      await forgetFaults(h.sql);
      one.provider.onSubmit = accept;
      expect(await sent()).toEqual(["one"]);
      expect(await isOn("UpstreamClosed")).toBe(false);
    });
  });

  it("an upstream that asks for a wait gets no submit of its account until the time is over, whoever starts meanwhile", async () => {
    const asked = [20_000, 10_000, 15_000].values();
    one.provider.onSubmit = () => limited(asked.next().value ?? 0);
    await h.fillQueue(randomId("acct"), 3);
    await h.drain();
    expect(one.provider.submitted).toHaveLength(3);
    await forgetFaults(h.sql);
    h.clock.advance(19_000);
    expect(await sent()).toEqual(["other"]);
    one.provider.onSubmit = accept;
    h.clock.advance(1_000);
    expect(await sent(2)).toEqual(["one", "one"]);
  });
});
