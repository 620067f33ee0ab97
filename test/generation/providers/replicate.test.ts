/** The provider for Replicate: conformance, and what is Replicate's own. */
import { describe, expect, test } from "vitest";
import { replicateProvider } from "../../../services/generation/providers/vendors/replicate.ts";
import type { Job } from "../../../services/generation/providers/provider.ts";
import {
  QUOTE,
  type FakeReply,
  type JobState,
} from "../../support/fake-upstreams/fake-upstream.ts";
import {
  REPLICATE_SECRET,
  replicateCallback,
  startReplicateFake,
} from "../../support/fake-upstreams/replicate.ts";
import { accepted, jobWith, never, startProvider } from "./provider-under-test.ts";
import { conforms } from "./conformance.ts";
import type { JobSubject, Subject } from "./subject.ts";

const MODEL = "owner/name";
const FILE = "https://replicate.delivery/one.mp4";
const OTHER = "https://replicate.delivery/two.png";

const problem = (status: number, title: string, detail: string): FakeReply => ({
  status,
  json: { title, detail, status, type: "about:blank" },
});
const failed = (error: string): JobState => ({ status: "failed", error });

const JOBS: JobSubject = {
  job: { kind: "video", model: MODEL, parameters: { names: { seed: "seed" } } },
  refusals: {
    billing: problem(402, "Insufficient credit", QUOTE),
    config: problem(404, "Not found", QUOTE),
    content: problem(
      422,
      "Input validation failed",
      `- input.prompt: flagged as sensitive (E005) ${QUOTE}`,
    ),
    input: problem(
      422,
      "Input validation failed",
      `- input.duration: must be one of 5, 10: ${QUOTE}`,
    ),
    rateLimited: { status: 429, json: { detail: QUOTE, status: 429 } },
    broken: { status: 500, json: { detail: QUOTE } },
  },
  states: {
    running: { status: "processing" },
    succeeded: { status: "succeeded" },
    odd: { status: "booting" },
    failed: failed(`CUDA out of memory: ${QUOTE}`),
    contentRejected: failed(`The input or output was flagged as sensitive (E005): ${QUOTE}`),
    badInput: failed(`Validation error: ${QUOTE}`),
    stopped: { status: "canceled" },
    gone: { status: "gone" },
    succeededAt: (output) => ({ status: "succeeded", output }),
  },
  find: "found",
  cancel: {
    inTime: { status: "processing" },
    tooLate: { status: "processing", isDeaf: true },
  },
};

const SUBJECT: Subject = {
  name: "Replicate",
  create: replicateProvider,
  start: startReplicateFake,
  jobs: [JOBS, { ...JOBS, job: { kind: "image", model: MODEL }, find: "unknown" }],
  callbacks: {
    settings: { callbackSecret: REPLICATE_SECRET },
    genuine: (_fake, id, clock) => replicateCallback(id, clock.now()),
    false: {
      stale: (_fake, id, clock) => replicateCallback(id, new Date(clock.now().getTime() - 301_000)),
      "badly signed": (_fake, id, clock) =>
        replicateCallback(id, clock.now(), `whsec_${Buffer.from("another").toString("base64")}`),
      "signed over another body": (_fake, id, clock) => ({
        ...replicateCallback(id, clock.now()),
        body: Buffer.from(JSON.stringify({ id: "another" })),
      }),
      "not signed at all": (_fake, id, clock) => ({
        ...replicateCallback(id, clock.now()),
        headers: {},
      }),
    },
  },
};

conforms(SUBJECT);

describe("Replicate's own ways", () => {
  const video = (fields: Partial<Job> = {}) => jobWith({ kind: "video", model: MODEL, ...fields });
  const polled = async (state: JobState) => {
    await using started = await startProvider(SUBJECT);
    const upstreamId = await accepted(started.provider, video());
    started.fake.says(upstreamId, state);
    return await started.provider.poll(upstreamId, never);
  };
  const failureOf = async (state: JobState) => {
    const answer = await polled(state);
    return answer.kind === "failed" ? answer.failure.code : answer.kind;
  };

  test("a result that was removed is expired; one that was never there is upstream_failed", async () => {
    const nothing = { status: "succeeded", output: null };
    expect(await failureOf({ ...nothing, data_removed: true })).toBe("expired");
    expect(await failureOf(nothing)).toBe("upstream_failed");
    expect(await failureOf({ ...nothing, output: "a text" })).toBe("upstream_failed");
  });

  test("the output is found as a text, in a list, in an object and as data", async () => {
    const [file, other] = [FILE, OTHER].map((url) => ({ url, configuredOrigin: false }));
    const cases: [unknown, unknown[]][] = [
      [FILE, [file]],
      [
        [FILE, OTHER],
        [file, other],
      ],
      [{ cover: OTHER, video: FILE, seed: 1 }, [file]],
      [{ files: [FILE, OTHER] }, [file, other]],
    ];
    for (const [output, sources] of cases) {
      expect(await polled({ status: "succeeded", output })).toEqual({ kind: "succeeded", sources });
    }
    const output = `data:image/png;base64,${Buffer.from("a picture").toString("base64")}`;
    expect(await polled({ status: "succeeded", output })).toEqual({
      kind: "succeeded",
      sources: [{ content: Buffer.from("a picture") }],
    });
  });

  test("failures are told apart by their codes and words", async () => {
    expect(await failureOf(failed("NSFW content detected. Try running it again."))).toBe(
      "content_rejected",
    );
    expect(await failureOf(failed("Prediction interrupted (code: PA)"))).toBe("upstream_failed");
    expect(await failureOf(failed("Service is experiencing high demand (E003)"))).toBe(
      "upstream_failed",
    );
    expect(await failureOf(failed("cannot identify image file '/tmp/a'"))).toBe("invalid_input");
    expect(await failureOf({ status: "failed", error: null })).toBe("upstream_failed");
  });

  test("an official model goes by its name, another by its version, with the callback of completion", async () => {
    await using started = await startProvider(SUBJECT);
    const callbackUrl = "https://api.customer.test/callbacks/a";
    const parameters = { version: "5c7d5dc6", input: { fps: 24 }, names: { image: "first_frame" } };
    const imageUrls = ["https://pictures.test/a.png"];
    await accepted(started.provider, video());
    await accepted(started.provider, video({ parameters, imageUrls, callbackUrl }));
    expect(started.fake.requests).toMatchObject([
      { path: "/models/owner/name/predictions" },
      {
        path: "/predictions",
        json: {
          version: "5c7d5dc6",
          input: { fps: 24, first_frame: "https://pictures.test/a.png", duration: 5 },
          webhook: callbackUrl,
          webhook_events_filter: ["completed"],
        },
      },
    ]);
    expect(started.fake.requests[0]?.json).not.toHaveProperty("version");
    expect(started.fake.requests[0]?.json).not.toHaveProperty("webhook");
  });

  test("a version or an input that the model does not know suspends the upstream; the text of a 429 says when to come again", async () => {
    await using started = await startProvider(SUBJECT);
    const submitted = async (instead: FakeReply) => {
      started.fake.once("submit", { instead });
      return started.provider.submit(video(), never);
    };
    const unknown = problem(422, "Invalid version or not permitted", QUOTE);
    expect(await submitted(unknown)).toMatchObject({ kind: "closed", fault: "config" });
    const extra = "- input: Additional property enhance is not allowed\n";
    expect(await submitted(problem(422, "Input validation failed", extra))).toMatchObject({
      kind: "closed",
      fault: "config",
    });
    // A client may leave a seed out: one that sends it must not suspend the upstream for all.
    const seed = extra.replace("enhance", "seed");
    expect(await submitted(problem(422, "Input validation failed", seed))).toMatchObject({
      kind: "refused",
    });
    const detail = "Request was throttled. Your rate limit resets in ~30s.";
    expect(await submitted({ status: 429, json: { detail } })).toEqual({
      kind: "rejected",
      fault: "rate_limited",
      retryAfterMs: 30_000,
    });
  });

  test("a lost create is found by its seed or its callback among many alike, pages away", async () => {
    await using started = await startProvider(SUBJECT);
    const sentAt = started.clock.now();
    const seeded = video({ token: "one", parameters: { names: { seed: "seed" } } });
    const first = await accepted(started.provider, seeded);
    for (const token of ["two", "three", "four"]) {
      await accepted(started.provider, { ...seeded, token });
    }
    const find = (job: Job) => started.provider.find({ job, sentAt }, never);
    expect(await find(seeded)).toEqual({ kind: "found", upstreamId: first });
    expect(await find({ ...seeded, token: "five" })).toEqual({ kind: "unknown" });
    const ofClient = { ...seeded, token: "six", seed: 42 };
    await accepted(started.provider, ofClient);
    await accepted(started.provider, { ...ofClient, token: "seven" });
    expect(await find(ofClient)).toEqual({ kind: "unknown" });
    const json = { next: null, results: [{ id: "abc", webhook: "https://api.test/callbacks/a" }] };
    started.fake.once("list", { instead: { status: 200, json } });
    const called = { ...ofClient, callbackUrl: "https://api.test/callbacks/a" };
    expect(await find(called)).toEqual({ kind: "found", upstreamId: "abc" });
  });

  test("a next page on a foreign host is not asked for", async () => {
    await using started = await startProvider(SUBJECT);
    const json = {
      next: "https://evil.test/v1/predictions?cursor=2",
      results: [{ id: "abc", created_at: "2027-01-01T00:00:00Z" }],
    };
    started.fake.once("list", { instead: { status: 200, json } });
    const lost = { job: video(), sentAt: started.clock.now() };
    await expect(started.provider.find(lost, never)).rejects.toThrow("foreign");
  });

  test("without a secret no callback is genuine", async () => {
    await using started = await startProvider(SUBJECT);
    const callback = replicateCallback("abc", started.clock.now());
    expect(await started.provider.callback?.(callback)).toBeUndefined();
  });
});
