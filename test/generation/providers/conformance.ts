/** The guarantees that every provider gives, each shown against its fake upstream. */
import { describe, expect, test } from "vitest";
import type { Job, Polled, Provider } from "../../../services/generation/providers/provider.ts";
import {
  RESULT,
  stateOf,
  type FakeReply,
  type JobState,
} from "../../support/fake-upstreams/fake.ts";
import {
  bytesOf,
  type CallbackSubject,
  endOf,
  type ImageSubject,
  type JobSubject,
  jobWith,
  meaningOf,
  never,
  type Refusals,
  send,
  type Started,
  type Subject,
  useProvider,
} from "./provider-under-test.ts";
import { fieldsConform } from "./conformance-fields.ts";

/** Returns the provider of each test. */
export function conforms(subject: Subject): Started {
  const started = useProvider(subject);
  describe(`${subject.name} keeps the promises of a provider`, () => {
    describe("jobs", () => {
      submitConforms(started, subject);
      pollConforms(started, subject);
      cancelConforms(started, subject);
    });
    describe.each([subject.image ?? []].flat())("images within the call", (image) => {
      imageConforms(started, image, subject.refusals);
    });
    fieldsConform(started, subject);
    describe.each([subject.callbacks ?? []].flat())("callbacks", (callbacks) => {
      callbackConforms(started, callbacks, subject.jobs.job);
    });
    checkConforms(started);
  });
  return started;
}

const LONG_MS = 10 * 60_000;

/** What is certain of every create. An image exists only in its answer: what of a job is unknown is its failure. */
function createConforms(started: Started, job: Job, refusals: Refusals, isWithinCall: boolean) {
  const operation = isWithinCall ? "image" : "submit";
  const createBy = (provider: Provider) => send(provider, job);
  /** The answer to a create that the upstream answers like that. */
  const createdAfter = async (instead: FakeReply) => {
    started.fake.once(operation, { instead });
    return createBy(started.provider);
  };

  test("a wrong key suspends the upstream and is not told to anybody", async () => {
    const answer = await createBy(started.providerWith({ key: "the-wrong-key" }));
    expect(answer).toMatchObject({ kind: "closed", fault: "auth" });
    expect(JSON.stringify(answer)).not.toContain("the-wrong-key");
    expect(started.fake.jobs).toHaveLength(0);
  });

  const kinds: Record<string, string> = {
    auth: "closed",
    billing: "closed",
    config: "closed",
    rate_limited: "rejected",
    unavailable: "rejected",
    unknown: isWithinCall ? "failed" : "unknown",
  };
  test.each(Object.entries(refusals))("refusals that are %s", async (meaning, replies) => {
    const kind = kinds[meaning] ?? (isWithinCall ? "failed" : "refused");
    const expected = kind === "failed" && meaning === "unknown" ? "upstream_failed" : meaning;
    for (const reply of [...replies, ...(meaning === "unknown" ? [{ status: 499 }] : [])]) {
      const answer = await createdAfter(reply);
      expect([reply, meaningOf(answer), answer.kind]).toEqual([reply, expected, kind]);
    }
  });

  test("a rate limit says when to come again, where the upstream says so", async () => {
    const [reply = { status: 429 }] = refusals.rate_limited;
    const after = (value: string) => createdAfter({ ...reply, headers: { "retry-after": value } });
    const rejection = { kind: "rejected", fault: "rate_limited" };
    expect(await createdAfter(reply)).toEqual(rejection);
    expect(await after("7")).toEqual({ ...rejection, retryAfterMs: 7_000 });
    const date = "Mon, 01 Jun 2026 12:00:30 GMT";
    expect(await after(date)).toEqual({ ...rejection, retryAfterMs: 30_000 });
    for (const none of ["soon", "0", "0.01"]) expect(await after(none)).toEqual(rejection);
  });

  test("a connection refused is a rejection: nothing was sent", async () => {
    await started.fake[Symbol.asyncDispose]();
    expect(await createBy(started.provider)).toEqual({ kind: "rejected", fault: "unavailable" });
  });

  test("a silent upstream is not waited for without end", async () => {
    const gate = started.fake.hold(operation);
    const answer = createBy(started.provider);
    await gate.arrived;
    started.clock.advance(LONG_MS);
    expect(meaningOf(await answer)).toBe(isWithinCall ? "upstream_timeout" : "unknown");
    gate.release();
  });

  test("redirects are not followed, so the key stays at its origin", async () => {
    await using elsewhere = await started.another();
    const location = `${elsewhere.fake.baseUrl}/stolen`;
    for (const status of [301, 307]) {
      const { kind } = await createdAfter({ status, headers: { location } });
      expect(["accepted", "succeeded"]).not.toContain(kind);
    }
    expect(elsewhere.fake.requests).toEqual([]);
  });
}

function submitConforms(started: Started, { jobs, refusals }: Subject) {
  const { find, states } = jobs;
  const job = jobWith(jobs.job);
  createConforms(started, job, refusals, false);

  test("a job is accepted, polled and its result had, byte for byte", async () => {
    const upstreamId = await started.accept(job);
    expect(started.fake.jobs).toHaveLength(1);
    started.says(states.running, states.succeeded);
    expect((await started.poll(upstreamId)).kind).toBe("running");
    const polled = await started.poll(upstreamId);
    if (polled.kind !== "succeeded") throw new Error(`it is ${polled.kind}`);
    expect(polled.sources).toHaveLength(1);
    for (const source of polled.sources) expect(await bytesOf(source)).toEqual(RESULT);
  });

  test.each(["drop", ...refusals.unknown.slice(0, 1)] as const)(
    "an answer that is lost or a 5xx after the job was recorded leaves one job, whose outcome is unknown",
    async (afterwards) => {
      const lost = { ...job, submittedAt: started.clock.now() };
      started.fake.once("submit", { afterwards });
      expect(await started.send(lost)).toEqual({ kind: "unknown" });
      started.clock.advance(5_000);
      const upstreamId = await started.provider.find?.(lost, never);
      expect(upstreamId ? "found" : "unknown").toBe(find);
      const polled = upstreamId && (await started.poll(upstreamId));
      expect(polled).not.toMatchObject({ kind: "gone" });
      expect(started.fake.jobs).toHaveLength(1);
    },
  );

  test("a success that cannot be read leaves the outcome unknown", async () => {
    for (const raw of ["", "<html>", "{}", "null"]) {
      const reply = { status: 200, raw: Buffer.from(raw) };
      started.fake.once("submit", { afterwards: reply });
      expect(await started.send(job)).toEqual({ kind: "unknown" });
    }
  });

  test("a job that never arrived is never said to be found", async () => {
    await started.accept({ ...job, token: "another-token", prompt: "Another prompt" });
    const lost = { ...job, submittedAt: started.clock.now() };
    expect(await started.provider.find?.(lost, never)).toBeUndefined();
  });
}

function imageConforms(
  started: Started,
  { job: fields, answers }: ImageSubject,
  refusals: Refusals,
) {
  const job = jobWith({ width: 1024, height: 1024, ...fields, kind: "image" });
  createConforms(started, job, refusals, true);

  test("an image is made, byte for byte", async () => {
    const answer = await started.provider.image?.(job, never);
    if (answer?.kind !== "succeeded") throw new Error(`it was ${answer?.kind}`);
    expect(answer.sources).toHaveLength(1);
    for (const source of answer.sources) expect(await bytesOf(source)).toEqual(RESULT);
  });

  test("as many images are made as are asked for, or the upstream is said to lack them", async () => {
    const isCarried = started.provider.carries?.("image", job.parameters)["n"] !== undefined;
    const answer = isCarried
      ? await started.provider.image?.({ ...job, count: 3 }, never)
      : undefined;
    const made = answer?.kind === "succeeded" ? answer.sources.length : 0;
    expect(made).toBe(isCarried ? 3 : 0);
  });

  test.each([
    ...answers,
    [{ status: 200 }, "upstream_failed"] as const,
    ["drop", "upstream_failed"] as const,
  ])("an answer that is lost, refuses or holds an image is read: %#", async (instead, expected) => {
    // Some are asked once more after an answer without an image.
    for (let i = 0; i < 2; i++) started.fake.once("image", { instead });
    const answer = await started.send(job);
    expect("sources" in answer ? answer.sources[0] : meaningOf(answer)).toEqual(expected);
  });

  test("a call that we break off ourselves throws", async () => {
    const gate = started.fake.hold("image");
    const stop = new AbortController();
    const end = endOf(Promise.resolve(started.provider.image?.(job, stop.signal)));
    await gate.arrived;
    stop.abort(new Error("stopping"));
    expect(await end).toContain("stopping");
    gate.release();
  });
}

/** What a look at a job may and may not conclude. */
function pollConforms(started: Started, { jobs, refusals }: Subject) {
  const { states, ends, results = [] } = jobs;
  const accept = () => started.accept(jobWith(jobs.job));
  /** What polls of one job say while the upstream goes through these states. */
  const polls = async (...script: (string | JobState)[]): Promise<Polled[]> => {
    const upstreamId = await accept();
    started.says(...script);
    const answers: Polled[] = [];
    for (const _ of script) answers.push(await started.poll(upstreamId));
    return answers;
  };
  test("states may repeat, an unknown one is still running, and a running job says when to look again", async () => {
    const { running, odd, succeeded } = states;
    const answers = await polls(running, running, odd, running, succeeded, succeeded);
    const kinds = answers.map(({ kind }) => kind).join(" ");
    expect(kinds).toBe("running running running running succeeded succeeded");
    const [first] = answers;
    const pollAfterMs = first?.kind === "running" ? first.pollAfterMs : 0;
    expect(pollAfterMs).toBeGreaterThanOrEqual(1_000);
    expect(pollAfterMs).toBeLessThanOrEqual(15_000);
  });

  test.each(Object.entries(ends))("states that mean %s", async (meaning, all) => {
    for (const state of all) {
      expect([state, ...(await polls(state)).map(meaningOf)]).toEqual([state, meaning]);
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
    const upstreamId = await accept();
    started.says(states.running);
    const poll = () => started.poll(upstreamId);
    const { unknown, rate_limited: limited } = refusals;
    const others = [{ status: 200 }, { status: 404 }, "drop"] as const;
    for (const instead of [unknown[0], limited[0], ...others]) {
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
    const upstreamId = await accept();
    started.says(states.running);
    const poll = () => started.poll(upstreamId);
    started.fake.once("poll", { headers: { "retry-after": "40" } });
    expect(await poll()).toMatchObject({ kind: "running", retryAfterMs: 40_000 });
    const waits = { 40: 40_000, "Sun, 31 May 2026 12:00:00 GMT": undefined };
    for (const [after, retryAfterMs] of Object.entries(waits)) {
      const limit = { status: 429, ...refusals.rate_limited[0], headers: { "retry-after": after } };
      started.fake.once("poll", { instead: limit });
      await expect(poll()).rejects.toMatchObject({ retryAfterMs });
    }
    expect(await poll()).toMatchObject({ kind: "running", retryAfterMs: undefined });
  });

  test("a silent upstream is not waited for without end", async () => {
    const upstreamId = await accept();
    const gate = started.fake.hold("poll");
    const end = endOf(started.poll(upstreamId));
    await gate.arrived;
    started.clock.advance(LONG_MS);
    expect(await end).not.toBe("answered");
    gate.release();
  });
}

/** True only where the upstream has certainly stopped the job. */
function cancelConforms(started: Started, { jobs: { job: fields, cancel, states } }: Subject) {
  const asked = async (state: string | JobState = states.running, fault?: "drop") => {
    const upstreamId = await started.accept(jobWith(fields));
    const [job] = started.fake.jobs;
    if (job) job.state = stateOf(state);
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
  job: JobSubject["job"],
) {
  test("the upstream is told where to call, and its call names the job", async () => {
    const { provider } = started;
    const callbackUrl = "https://api.customer.test/callbacks/unguessable-4c39";
    const upstreamId = await started.accept(jobWith({ ...job, callbackUrl }));
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
function checkConforms(started: Started) {
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
    await started.fake[Symbol.asyncDispose]();
    expect(await started.provider.check(never)).toMatchObject({ ok: false, fault: "unavailable" });
  });
}
