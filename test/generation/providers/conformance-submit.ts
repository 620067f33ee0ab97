/** Conformance of submit and find: what is certain of a job's creation. */
import { expect, test } from "vitest";
import type { Provider } from "../../../services/generation/providers/provider.ts";
import { RESULT, type FakeReply } from "../../support/fake-upstreams/fake-upstream.ts";
import {
  accepted,
  bytesOf,
  expectClientWords,
  jobWith,
  never,
  startProvider,
} from "./provider-under-test.ts";
import type { JobSubject, Subject } from "./subject.ts";

const LONG_MS = 10 * 60_000;

export function submitConforms(
  subject: Subject,
  { job: fields, refusals, find, states }: JobSubject,
) {
  const job = jobWith(fields);
  const submit = (provider: Provider) => provider.submit(job, never);

  /** The answer to a submit that the upstream answers like that. */
  const submitted = async (reply: FakeReply) => {
    await using started = await startProvider(subject);
    started.fake.once("submit", { instead: reply });
    return await submit(started.provider);
  };

  test("a job is accepted, polled and its result had, byte for byte", async () => {
    await using started = await startProvider(subject);
    const upstreamId = await accepted(started.provider, job);
    expect(started.fake.jobs).toHaveLength(1);
    started.fake.says(started.fake.jobs[0]?.id ?? "", states.running, states.succeeded);
    expect((await started.provider.poll(upstreamId, never)).kind).toBe("running");
    const polled = await started.provider.poll(upstreamId, never);
    if (polled.kind !== "succeeded") throw new Error(`it is ${polled.kind}`);
    expect(polled.sources).toHaveLength(1);
    for (const source of polled.sources) expect(await bytesOf(source)).toEqual(RESULT);
  });

  test("a wrong key suspends the upstream and is not told to anybody", async () => {
    await using started = await startProvider(subject);
    const answer = await submit(started.providerWith({ key: "the-wrong-key" }));
    expect(answer).toMatchObject({ kind: "closed", fault: "auth" });
    expect(JSON.stringify(answer)).not.toContain("the-wrong-key");
    expect(started.fake.jobs).toHaveLength(0);
  });

  test("an unpaid bill and a model that is not served suspend the upstream", async () => {
    expect(await submitted(refusals.billing)).toMatchObject({ kind: "closed", fault: "billing" });
    if (!refusals.config) return;
    expect(await submitted(refusals.config)).toMatchObject({ kind: "closed", fault: "config" });
  });

  test("a rate limit is a rejection that says when to come again, where the upstream says so", async () => {
    const after = (value: string) =>
      submitted({ ...refusals.rateLimited, headers: { "retry-after": value } });
    const rejection = { kind: "rejected", fault: "rate_limited" };
    expect(await submitted(refusals.rateLimited)).toEqual(rejection);
    expect(await after("7")).toEqual({ ...rejection, retryAfterMs: 7_000 });
    const date = "Mon, 01 Jun 2026 12:00:30 GMT";
    expect(await after(date)).toEqual({ ...rejection, retryAfterMs: 30_000 });
    expect(await after("soon")).toEqual(rejection);
  });

  test("a content and an input that are refused are the user's, in words that help", async () => {
    for (const [reply, code] of [
      [refusals.content, "content_rejected"],
      [refusals.input, "invalid_input"],
    ] as const) {
      const answer = await submitted(reply);
      if (answer.kind !== "refused") throw new Error(`it was ${answer.kind}`);
      expect(answer.failure.code).toBe(code);
      expectClientWords(answer.failure);
    }
  });

  test("a connection refused is a rejection: nothing was sent", async () => {
    const gone = await startProvider(subject);
    await gone[Symbol.asyncDispose]();
    expect(await submit(gone.provider)).toEqual({ kind: "rejected", fault: "unavailable" });
  });

  test.each(["drop", refusals.broken] as const)(
    "an answer that is lost or a 5xx after the job was recorded leaves one job, whose outcome is unknown",
    async (afterwards) => {
      await using started = await startProvider(subject);
      const sentAt = started.clock.now();
      started.fake.once("submit", { afterwards });
      expect(await submit(started.provider)).toEqual({ kind: "unknown" });
      started.clock.advance(5_000);
      const found = await started.provider.find({ job, sentAt }, never);
      expect(found.kind).toBe(find);
      const upstreamId = found.kind === "found" ? found.upstreamId : undefined;
      const polled = upstreamId && (await started.provider.poll(upstreamId, never));
      expect(polled).not.toMatchObject({ kind: "gone" });
      expect(started.fake.jobs).toHaveLength(1);
    },
  );

  test("an upstream that is silent after the job was recorded is not waited for without end", async () => {
    await using started = await startProvider(subject);
    const gate = started.fake.hold("submit");
    const answer = submit(started.provider);
    await gate.arrived;
    started.clock.advance(LONG_MS);
    expect(await answer).toEqual({ kind: "unknown" });
    gate.release();
    expect(started.fake.jobs).toHaveLength(1);
  });

  test("a success that cannot be read leaves the outcome unknown", async () => {
    await using started = await startProvider(subject);
    for (const raw of ["", "<html>", "{}", "null"]) {
      const reply = { status: 200, raw: Buffer.from(raw) };
      started.fake.once("submit", { afterwards: reply });
      expect(await submit(started.provider)).toEqual({ kind: "unknown" });
    }
  });

  test("a job that never arrived is never said to be found", async () => {
    await using started = await startProvider(subject);
    await accepted(started.provider, { ...job, token: "another-token", prompt: "Another prompt" });
    const found = await started.provider.find({ job, sentAt: started.clock.now() }, never);
    expect(found.kind).not.toBe("found");
  });

  test("redirects are not followed, so the key stays at its origin", async () => {
    await using elsewhere = await startProvider(subject);
    const location = `${elsewhere.fake.baseUrl}/stolen`;
    for (const status of [301, 307]) {
      expect((await submitted({ status, headers: { location } })).kind).not.toBe("accepted");
    }
    expect(elsewhere.fake.requests).toEqual([]);
  });
}
