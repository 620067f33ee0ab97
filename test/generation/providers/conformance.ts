/** The guarantees that every provider gives, each shown against its fake upstream. */
import { describe, expect, test } from "vitest";
import type { Polled } from "../../../services/generation/providers/provider.ts";
import type { JobState } from "../../support/fake-upstreams/fake-upstream.ts";
import {
  accepted,
  type CallbackSubject,
  endOf,
  type JobSubject,
  jobWith,
  meaningOf,
  never,
  type Started,
  type Subject,
  useProvider,
} from "./provider-under-test.ts";
import { fieldsConform } from "./conformance-fields.ts";
import { imageConforms, submitConforms } from "./conformance-submit.ts";

/** Returns the provider of each test. */
export function conforms(subject: Subject): Started {
  const started = useProvider(subject);
  const { name, jobs } = subject;
  const [images, callbacks] = [[subject.image ?? []].flat(), [subject.callbacks ?? []].flat()];
  describe(`${name} keeps the promises of a provider`, () => {
    for (const each of jobs) {
      describe(`${each.job.kind} jobs`, () => {
        submitConforms(started, each);
        pollConforms(started, each);
        cancelConforms(started, each);
      });
    }
    describe.each(images)("images within the call", (image) => {
      imageConforms(started, image);
    });
    fieldsConform(started, subject);
    describe.each(callbacks)("callbacks", (each) => {
      callbackConforms(started, each, jobs[0]);
    });
    checkConforms(started, subject);
  });
  return started;
}

/** What a look at a job may and may not conclude. */
function pollConforms(
  started: Started,
  { job: fields, states, ends, results = [], refusals }: JobSubject,
) {
  /** What polls of one job say while the upstream goes through these states. */
  const polls = async (...script: JobState[]): Promise<Polled[]> => {
    const upstreamId = await started.accept(jobWith(fields));
    started.says(...script);
    const answers: Polled[] = [];
    for (const _ of script) answers.push(await started.poll(upstreamId));
    return answers;
  };
  test("states may repeat, and an unknown one is still running", async () => {
    const { running, odd, succeeded } = states;
    const answers = await polls(running, running, odd, running, succeeded, succeeded);
    const kinds = answers.map(({ kind }) => kind).join(" ");
    expect(kinds).toBe("running running running running succeeded succeeded");
  });

  test("a running job says when to look again", async () => {
    const [polled] = await polls(states.running);
    if (polled?.kind !== "running") throw new Error(`it is ${polled?.kind}`);
    expect(polled.pollAfterMs).toBeGreaterThanOrEqual(1_000);
    expect(polled.pollAfterMs).toBeLessThanOrEqual(15_000);
  });

  test.each(Object.entries(ends))("states that mean %s", async (meaning, all) => {
    for (const state of all) {
      const meanings = (await polls(state)).map(meaningOf);
      expect([state, ...meanings]).toEqual([state, meaning]);
    }
  });

  test.runIf(results.length > 0)("results are found wherever they are", async () => {
    for (const [state, sources] of results) {
      expect(await polls(state)).toEqual([{ kind: "succeeded", sources }]);
    }
  });

  test("a job that the upstream does not know any more is gone", async () => {
    expect(await polls(states.running, states.gone)).toEqual([
      expect.objectContaining({ kind: "running" }),
      { kind: "gone" },
    ]);
  });

  test("a poll that fails throws, and says nothing about the job", async () => {
    const upstreamId = await started.accept(jobWith(fields));
    started.says(states.running);
    const poll = () => started.poll(upstreamId);
    const [broken, rateLimited] = [refusals.unknown[0], refusals.rate_limited[0]];
    for (const instead of [
      broken,
      rateLimited,
      { status: 200 },
      { status: 404 },
      "drop",
    ] as const) {
      if (!instead) throw new Error("no refusal");
      started.fake.once("poll", { instead });
      expect(await endOf(poll())).not.toBe("answered");
    }
    const wrong = started.providerWith({ key: "the-wrong-key" });
    const end = await endOf(wrong.poll(upstreamId, never));
    expect(end).not.toBe("answered");
    expect(end).not.toContain("the-wrong-key");
    expect((await poll()).kind).toBe("running");
  });

  test("the wait that an upstream asks for is told, of a running job and of a poll that it refuses", async () => {
    const upstreamId = await started.accept(jobWith(fields));
    started.says(states.running);
    const poll = () => started.poll(upstreamId);
    const headers = { "retry-after": "40" };
    started.fake.once("poll", { headers });
    expect(await poll()).toMatchObject({ kind: "running", retryAfterMs: 40_000 });
    started.fake.once("poll", { instead: { status: 429, ...refusals.rate_limited[0], headers } });
    await expect(poll()).rejects.toMatchObject({ retryAfterMs: 40_000 });
    expect(await poll()).not.toHaveProperty("retryAfterMs");
  });

  test("a silent upstream is not waited for without end", async () => {
    const upstreamId = await started.accept(jobWith(fields));
    const gate = started.fake.hold("poll");
    const end = endOf(started.poll(upstreamId));
    await gate.arrived;
    started.clock.advance(10 * 60_000);
    expect(await end).not.toBe("answered");
    gate.release();
  });
}

/** True only where the upstream has certainly stopped the job. */
function cancelConforms(started: Started, { job: fields, cancel, states }: JobSubject) {
  const asked = async (state = states.running, fault?: "drop") => {
    const upstreamId = await started.accept(jobWith(fields));
    const [job] = started.fake.jobs;
    if (job) job.state = state;
    if (fault) started.fake.once("cancel", { instead: fault });
    const isStopped = await started.provider.cancel(upstreamId, never).catch(() => "threw");
    started.says();
    const after = await started.poll(upstreamId);
    return { isStopped, after: after.kind };
  };

  test.skipIf(cancel)("a cancel is never said to have worked, for there is none", async () => {
    expect(await asked()).toEqual({ isStopped: false, after: "running" });
  });

  test.runIf(cancel)("a cancel in time stops the job for certain", async () => {
    const { isStopped, after } = await asked(cancel?.inTime);
    expect(isStopped).toBe(true);
    expect(after).not.toBe("running");
    expect(after).not.toBe("succeeded");
  });

  test.runIf(cancel)("a cancel that comes too late is refused, and the job goes on", async () => {
    expect(await asked(cancel?.tooLate)).toEqual({ isStopped: false, after: "running" });
  });

  test("a cancel after success is refused, and the result stays", async () => {
    expect(await asked(states.succeeded)).toEqual({ isStopped: false, after: "succeeded" });
  });

  test.runIf(cancel)("a cancel that is not answered is not said to have worked", async () => {
    expect((await asked(cancel?.inTime, "drop")).isStopped).not.toBe(true);
  });
}

/** What a callback names is its job, or nothing. */
function callbackConforms(
  started: Started,
  { about, nameless }: CallbackSubject,
  { job }: JobSubject,
) {
  test("the upstream is told where to call, and its call names the job", async () => {
    const { provider } = started;
    const callbackUrl = "https://api.customer.test/callbacks/unguessable-4c39";
    const upstreamId = await accepted(provider, jobWith({ ...job, callbackUrl }));
    const submit = started.fake.requests.find(({ operation }) => operation === "submit");
    const told = `${submit?.query.toString()} ${submit?.raw.toString("utf8")}`;
    expect(decodeURIComponent(told)).toContain(callbackUrl);
    const callback = about(upstreamId);
    expect(provider.callback?.(callback)).toBe(upstreamId);
    for (const text of ["<html>", "{}", '"hello"', ...nameless]) {
      expect(provider.callback?.({ ...callback, body: Buffer.from(text) })).toBeUndefined();
    }
  });
}

/** What operators are told of an upstream. */
function checkConforms(started: Started, subject: Subject) {
  test.skipIf(subject.callbacks)("there are no callbacks", async () => {
    expect(started.provider.callback).toBeUndefined();
  });

  test("a check asks something harmless and says whether we are served", async () => {
    expect(await started.provider.check(never)).toEqual({ ok: true });
    expect(started.fake.jobs).toEqual([]);
    const wrong = started.providerWith({ key: "the-wrong-key" });
    const answer = await wrong.check(never);
    expect(answer).toMatchObject({ ok: false, fault: "auth" });
    expect(JSON.stringify(answer)).not.toContain("the-wrong-key");
    started.fake.once("check", { instead: { status: 503 } });
    expect(await started.provider.check(never)).toMatchObject({ ok: false, fault: "unavailable" });
    started.fake.once("check", { instead: "drop" });
    expect(await started.provider.check(never)).toMatchObject({ ok: false, fault: "unavailable" });
  });

  test("a check of a host that is not there says that it is unavailable", async () => {
    const gone = await started.another();
    await gone[Symbol.asyncDispose]();
    expect(await gone.provider.check(never)).toMatchObject({ ok: false, fault: "unavailable" });
  });
}
