/** The guarantees that every provider gives, each shown against its fake upstream. */
import { describe, expect, test } from "vitest";
import {
  accepted,
  type CallbackSubject,
  type JobSubject,
  jobWith,
  never,
  type Started,
  type Subject,
  useProvider,
} from "./provider-under-test.ts";
import { fieldsConform } from "./conformance-fields.ts";
import { pollConforms } from "./conformance-poll.ts";
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
