/** The provider for fal's queue: conformance, and what is fal's own. */
import { describe, expect, test } from "vitest";
import { falProvider } from "../../../services/generation/providers/vendors/fal.ts";
import {
  QUOTE,
  type FakeReply,
  type JobState,
} from "../../support/fake-upstreams/fake-upstream.ts";
import { falCallback, falPublished, startFalFake } from "../../support/fake-upstreams/fal.ts";
import { accepted, jobWith, never, startProvider } from "./provider-under-test.ts";
import { conforms } from "./conformance.ts";
import type { JobSubject, Subject } from "./subject.ts";

const MODEL = "fal-ai/some-model";

const modelError = (type: string, status = 422): FakeReply => ({
  status,
  json: { detail: [{ loc: ["body", "prompt"], msg: QUOTE, type, url: "https://docs.fal.ai" }] },
});
const completed = (fields: object = {}): JobState => ({ status: "COMPLETED", ...fields });
const failedWith = (error_type: string) => completed({ error: QUOTE, error_type });

const JOBS: JobSubject = {
  job: { kind: "video", model: MODEL },
  refusals: {
    billing: {
      status: 403,
      json: { detail: `User is locked. Reason: Exhausted balance. ${QUOTE}` },
    },
    config: { status: 404, json: { detail: `Application not found: ${QUOTE}` } },
    content: modelError("content_policy_violation"),
    input: modelError("value_error"),
    rateLimited: { status: 429, json: { detail: QUOTE } },
    broken: { status: 502, json: { detail: QUOTE } },
  },
  states: {
    running: { status: "IN_PROGRESS", logs: null },
    succeeded: completed({ logs: null, metrics: { inference_time: 3 } }),
    odd: { status: "THINKING" },
    failed: failedWith("runner_disconnected"),
    contentRejected: completed({ result: modelError("content_policy_violation") }),
    badInput: completed({ result: modelError("greater_than_equal") }),
    stopped: failedWith("client_cancelled"),
    gone: { status: "GONE" },
    succeededAt: (url) => completed({ result: { status: 200, json: { video: { url } } } }),
  },
  find: "unknown",
  cancel: { inTime: { status: "IN_QUEUE" }, tooLate: { status: "IN_PROGRESS" } },
};

const SUBJECT: Subject = {
  name: "fal",
  create: falProvider,
  start: startFalFake,
  jobs: [JOBS, { ...JOBS, job: { kind: "image", model: MODEL } }],
  callbacks: {
    genuine: (_fake, id, clock) => falCallback(id, clock.now()),
    false: {
      stale: (_fake, id, clock) => falCallback(id, new Date(clock.now().getTime() - 301_000)),
      "from the future": (_fake, id, clock) =>
        falCallback(id, new Date(clock.now().getTime() + 301_000)),
      "signed over another body": (_fake, id, clock) => ({
        ...falCallback(id, clock.now()),
        body: Buffer.from(JSON.stringify({ request_id: "another" })),
      }),
      "not signed at all": (_fake, id, clock) => ({ ...falCallback(id, clock.now()), headers: {} }),
      "not an object": (_fake, id, clock) => falCallback(id, clock.now(), { payload: "hello" }),
      "about no address": (_fake, id, clock) =>
        falCallback(id, clock.now(), { payload: { request_id: "../../other" } }),
    },
  },
};

conforms(SUBJECT);

describe("fal's own ways", () => {
  const polled = async (...script: JobState[]) => {
    await using started = await startProvider(SUBJECT);
    const upstreamId = await accepted(started.provider, jobWith({ kind: "video", model: MODEL }));
    started.fake.says(upstreamId, ...script);
    return await started.provider.poll(upstreamId, never);
  };
  const failureOf = async (state: JobState) => {
    const answer = await polled(state);
    return answer.kind === "failed" ? answer.failure.code : answer.kind;
  };

  test("COMPLETED with an error is a failure, whichever way it is told", async () => {
    const fileGone = { result: { status: 500, json: { detail: QUOTE } }, error: QUOTE };
    expect(await failureOf(failedWith("internal_error"))).toBe("upstream_failed");
    expect(await failureOf(completed(fileGone))).toBe("upstream_failed");
    expect(await failureOf(completed({ error: QUOTE }))).toBe("upstream_failed");
    expect(await failureOf(completed({ result: modelError("generation_timeout", 504) }))).toBe(
      "upstream_failed",
    );
    expect(await failureOf(completed({ result: modelError("no_media_generated") }))).toBe(
      "content_rejected",
    );
    expect(await failureOf(completed({ result: modelError("file_download_error") }))).toBe(
      "invalid_input",
    );
    const untold = { status: 422, json: { detail: QUOTE } };
    expect(await failureOf(completed({ result: untold }))).toBe("invalid_input");
    const black = { images: [{ url: "https://a.test/1.png" }], has_nsfw_concepts: [true] };
    expect(await failureOf(completed({ result: { status: 200, json: black } }))).toBe(
      "content_rejected",
    );
    expect(await failureOf(completed({ result: { status: 200, json: {} } }))).toBe(
      "upstream_failed",
    );
  });

  test("a result that is asked for too early is still running; one that is not there is gone", async () => {
    const early = { status: 400, json: { detail: "Request is still in progress" } };
    expect(await polled(completed({ result: early }))).toMatchObject({ kind: "running" });
    const missing = { status: 404, json: { detail: "Not Found" } };
    expect(await polled(completed({ result: missing }))).toEqual({ kind: "gone" });
  });

  test("a fault of asking for the result throws, and does not fail the job", async () => {
    const broken = completed({ result: { status: 503, json: { detail: QUOTE } } });
    await expect(polled(broken)).rejects.toThrow("503");
  });

  test("files are found in a list and alone, under one name", async () => {
    const [one, two] = [{ url: "https://a.test/1.png" }, { url: "https://a.test/2.png" }];
    const sourcesOf = async (json: object) => {
      const answer = await polled(completed({ result: { status: 200, json } }));
      return answer.kind === "succeeded" ? answer.sources : answer.kind;
    };
    const [first, second] = [one, two].map((file) => ({ ...file, configuredOrigin: false }));
    expect(await sourcesOf({ images: [one, two] })).toEqual([first, second]);
    expect(await sourcesOf({ image: one })).toEqual([first]);
    expect(await sourcesOf({ image: two, video: one })).toEqual([first]);
  });

  test("an answer that names a foreign address never leads the key there", async () => {
    await using started = await startProvider(SUBJECT);
    const response_url = "https://evil.test/fal-ai/some-model/requests/1";
    const json = { status: "IN_QUEUE", request_id: "11-22", response_url };
    started.fake.once("submit", { instead: { status: 200, json } });
    const id = await accepted(started.provider, jobWith({ kind: "video", model: MODEL }));
    expect(id).toBe("fal-ai/some-model/requests/11-22");
  });

  test("a job that is asked to stop is stopped only when its status says so, or that it is no more", async () => {
    await using started = await startProvider(SUBJECT);
    const id = await accepted(started.provider, jobWith({ kind: "video", model: MODEL }));
    const requested = { status: 202, json: { status: "CANCELLATION_REQUESTED" } };
    const cancelledAt = (state: JobState) => {
      started.fake.says(id, state);
      started.fake.once("cancel", { instead: requested });
      return started.provider.cancel(id, never);
    };
    expect(await cancelledAt({ status: "IN_PROGRESS" })).toBe(false);
    expect(await cancelledAt(completed())).toBe(false);
    expect(await cancelledAt(failedWith("client_cancelled"))).toBe(true);
    expect(await cancelledAt({ status: "GONE" })).toBe(true);
  });

  test("the keys of callbacks are fetched once a day, without our own key, and when they change", async () => {
    await using started = await startProvider(SUBJECT);
    const id = `${MODEL}/requests/1`;
    const asked = () => started.fake.requests.filter(({ operation }) => operation === "keys");
    const verify = () => started.provider.callback?.(falCallback(id, started.clock.now()));
    expect(asked()).toHaveLength(0);
    expect(await verify()).toBe(id);
    expect(await verify()).toBe(id);
    expect(asked()).toHaveLength(1);
    expect(asked()[0]?.headers.authorization).toBeUndefined();
    started.clock.advance(24 * 60 * 60 * 1000);
    expect(await verify()).toBe(id);
    expect(asked()).toHaveLength(2);
    const forged = { ...falCallback(id, started.clock.now()), body: Buffer.from("{}") };
    for (let i = 0; i < 5; i++) expect(await started.provider.callback?.(forged)).toBeUndefined();
    expect(asked()).toHaveLength(2);
  });

  test("a new key is learnt within a minute", async () => {
    await using started = await startProvider(SUBJECT);
    const published = falPublished.keys;
    const verify = () =>
      started.provider.callback?.(falCallback(`${MODEL}/requests/1`, started.clock.now()));
    falPublished.keys = [{ kty: "OKP", crv: "Ed25519", x: "not a key" }];
    expect(await verify()).toBeUndefined();
    falPublished.keys = published;
    expect(await verify()).toBeUndefined();
    started.clock.advance(60_000);
    expect(await verify()).toBe(`${MODEL}/requests/1`);
  });
});
