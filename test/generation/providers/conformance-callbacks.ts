/** Conformance of callbacks: only a genuine one names a job. */
import { describe, expect, test } from "vitest";
import { accepted, jobWith, startAdapter } from "./adapter-under-test.ts";
import type { CallbackSubject, JobSubject, Subject } from "./subject.ts";

export function callbacksConform(subject: Subject) {
  const kinds = subject.callbacks ? [subject.callbacks] : [];
  test.skipIf(subject.callbacks)("there are no callbacks", async () => {
    await using adapter = await startAdapter(subject);
    expect(adapter.provider.callback).toBeUndefined();
  });
  for (const callbacks of kinds) {
    for (const jobs of subject.jobs.slice(0, 1)) {
      describe("callbacks", () => {
        callbackConforms(subject, callbacks, jobs);
      });
    }
  }
}

function callbackConforms(subject: Subject, callbacks: CallbackSubject, { job }: JobSubject) {
  const settings = callbacks.settings ?? {};

  test("the upstream is told where to call, and its genuine call names the job, also when repeated", async () => {
    await using adapter = await startAdapter(subject);
    const provider = adapter.providerWith(settings);
    const callbackUrl = "https://api.customer.test/callbacks/unguessable-4c39";
    const upstreamId = await accepted(provider, jobWith({ ...job, callbackUrl }));
    const submit = adapter.fake.requests.find(({ operation }) => operation === "submit");
    const told = `${submit?.query.toString()} ${submit?.raw.toString("utf8")}`;
    expect(decodeURIComponent(told)).toContain(callbackUrl);
    const callback = callbacks.genuine(adapter.fake, upstreamId, adapter.clock);
    expect(await provider.callback?.(callback)).toBe(upstreamId);
    expect(await provider.callback?.(callback)).toBe(upstreamId);
  });

  for (const [name, make] of Object.entries(callbacks.false)) {
    test(`a callback that is ${name} names no job`, async () => {
      await using adapter = await startAdapter(subject);
      const provider = adapter.providerWith(settings);
      const upstreamId = await accepted(provider, jobWith(job));
      const callback = make(adapter.fake, upstreamId, adapter.clock);
      expect(await provider.callback?.(callback)).toBeUndefined();
    });
  }
}
