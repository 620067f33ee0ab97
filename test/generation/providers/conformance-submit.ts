/** Conformance of submits, image calls and look-ups: what is certain of a creation. */
import { expect, test } from "vitest";
import type { Job, Provider } from "../../../services/generation/providers/provider.ts";
import { RESULT, type FakeReply } from "../../support/fake-upstreams/fake-upstream.ts";
import {
  bytesOf,
  endOf,
  type ImageSubject,
  type JobSubject,
  jobWith,
  meaningOf,
  never,
  type Refusals,
  send,
  type Started,
} from "./provider-under-test.ts";

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
    for (const reply of replies) {
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
    expect(await after("soon")).toEqual(rejection);
  });

  test("a connection refused is a rejection: nothing was sent", async () => {
    const gone = await started.another();
    await gone[Symbol.asyncDispose]();
    expect(await createBy(gone.provider)).toEqual({ kind: "rejected", fault: "unavailable" });
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

export function submitConforms(
  started: Started,
  { job: fields, refusals, find, states }: JobSubject,
) {
  const job = jobWith(fields);
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
      const sentAt = started.clock.now();
      started.fake.once("submit", { afterwards });
      expect(await started.send(job)).toEqual({ kind: "unknown" });
      started.clock.advance(5_000);
      const found = await started.provider.find({ job, sentAt }, never);
      expect(found.kind).toBe(find);
      const upstreamId = found.kind === "found" ? found.upstreamId : undefined;
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
    const found = await started.provider.find({ job, sentAt: started.clock.now() }, never);
    expect(found.kind).not.toBe("found");
  });
}

export function imageConforms(started: Started, { job: fields, refusals, answers }: ImageSubject) {
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
