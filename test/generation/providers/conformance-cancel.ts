/** Conformance of cancel: true only where the upstream has certainly stopped the job. */
import { expect, test } from "vitest";
import { accepted, jobWith, never, startAdapter } from "./adapter-under-test.ts";
import type { JobSubject, Subject } from "./subject.ts";

export function cancelConforms(subject: Subject, { job: fields, cancel, states }: JobSubject) {
  const asked = async (state = states.running, fault?: "drop") => {
    await using adapter = await startAdapter(subject);
    const upstreamId = await accepted(adapter.provider, jobWith(fields));
    const id = adapter.fake.jobs[0]?.id ?? "";
    const job = adapter.fake.jobs[0];
    if (job) job.state = state;
    if (fault) adapter.fake.once("cancel", { instead: fault });
    const isStopped = await adapter.provider.cancel(upstreamId, never).catch(() => "threw");
    adapter.fake.says(id);
    const after = await adapter.provider.poll(upstreamId, never);
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
