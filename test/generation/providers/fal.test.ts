/** The provider for fal's queue: conformance, and what is fal's own. */
import { PARAMETERS } from "../../../services/generation/domain/parameters.ts";
import { falProvider } from "../../../services/generation/providers/vendors/fal.ts";
import { QUOTE, type FakeReply, type JobState } from "../../support/fake-upstreams/fake.ts";
import { falCallback, startFalFake } from "../../support/fake-upstreams/fal.ts";
import { conforms } from "./conformance.ts";
import { fileAt, jobWith, never, sentFor } from "./provider-under-test.ts";

const MODEL = "fal-ai/some-model";

const modelError = (type: string, status = 422): FakeReply => ({
  status,
  json: { detail: [{ loc: ["body", "prompt"], msg: QUOTE, type, url: "https://docs.fal.ai" }] },
});
const completed = (fields: object = {}): JobState => ({ status: "COMPLETED", ...fields });
const failedWith = (error_type: string) => completed({ error: QUOTE, error_type });
const resultOf = (json: object, status = 200) => completed({ result: { status, json } });
const [one, two] = [{ url: "https://a.test/1.png" }, { url: "https://a.test/2.png" }];

const OPTIONAL =
  "seed resolution audio last_image references video prompt_extend count mask background output_format";
/** Of a model that has a name for every optional field. */
const names = Object.fromEntries(OPTIONAL.split(" ").map((part) => [part, `the_${part}`]));

const JOB = { kind: "video", model: MODEL, parameters: { names } } as const;

const started = conforms({
  name: "fal",
  create: falProvider,
  start: startFalFake,
  refusals: {
    billing: [
      { status: 403, json: { detail: `User is locked. Reason: Exhausted balance. ${QUOTE}` } },
    ],
    config: [{ status: 404, json: { detail: `Application not found: ${QUOTE}` } }],
    content_rejected: [modelError("content_policy_violation")],
    invalid_input: [modelError("value_error")],
    rate_limited: [{ status: 429, json: { detail: QUOTE } }],
    unknown: [{ status: 502, json: { detail: QUOTE } }],
  },
  jobs: {
    job: JOB,
    states: { running: "IN_PROGRESS", succeeded: "COMPLETED", odd: "THINKING", gone: "gone" },
    // COMPLETED with an error is a failure, whichever way it is told.
    ends: {
      upstream_failed: [
        failedWith("runner_disconnected"),
        failedWith("internal_error"),
        completed({ result: { status: 500, json: { detail: QUOTE } }, error: QUOTE }),
        completed({ error: QUOTE }),
        completed({ result: modelError("generation_timeout", 504) }),
        resultOf({}),
      ],
      content_rejected: [
        completed({ result: modelError("content_policy_violation") }),
        completed({ result: modelError("no_media_generated") }),
        resultOf({ images: [one], has_nsfw_concepts: [true] }),
      ],
      invalid_input: [
        completed({ result: modelError("greater_than_equal") }),
        completed({ result: modelError("file_download_error") }),
        resultOf({ detail: QUOTE }, 422),
      ],
      stopped: [failedWith("client_cancelled")],
      running: [resultOf({ detail: "Request is still in progress" }, 400)],
      gone: [resultOf({ detail: "Not Found" }, 404)],
    },
    results: [
      [resultOf({ video: one }), [fileAt(one.url)]],
      [resultOf({ images: [one, two] }), [fileAt(one.url), fileAt(two.url)]],
      [resultOf({ image: one }), [fileAt(one.url)]],
      [resultOf({ image: two, video: one }), [fileAt(one.url)]],
    ],
    find: "unknown",
    cancel: { inTime: "IN_QUEUE", tooLate: "IN_PROGRESS" },
  },
  imageJob: { ...JOB, kind: "image" },
  callbacks: { about: falCallback, nameless: ['{"request_id":"../../other"}'] },
});

describe("fal's own ways", () => {
  const prompt = "A lighthouse in the morning fog";
  test.each<[string | undefined, string | number]>([
    [undefined, 8],
    ["string", "8"],
    ["seconds", "8s"],
  ])("fal's usual names, what is configured, and a duration as %s", async (duration, written) => {
    const parameters = { duration, input: { resolution: "720p" } };
    expect(await sentFor(started, { ...JOB, durationSeconds: 8, parameters })).toEqual({
      prompt,
      duration: written,
      aspect_ratio: "16:9",
      resolution: "720p",
    });
  });

  test("a model's own names of every part: the client's seed wins, and no negative prompt is dropped", async () => {
    const parts = ["image", "images", "width", "height", "size", "aspect_ratio", "seed", "mask"];
    const own = Object.fromEntries(parts.map((part) => [part, `the_${part}`]));
    const imageUrls = [one.url, two.url];
    const asked = { width: 1152, height: 864, seed: 7, imageUrls, negativePrompt: "rain" };
    const sent = (more: object) => {
      const parameters = { input: { the_seed: 1, quality: "high" }, names: { ...own, ...more } };
      return sentFor(started, { ...asked, kind: "image", model: MODEL, parameters });
    };
    const common = {
      quality: "high",
      the_image: one.url,
      the_images: imageUrls,
      the_width: 1152,
      the_height: 864,
      the_size: { width: 1152, height: 864 },
      the_aspect_ratio: "4:3",
      the_seed: 7,
    };
    expect(await sent({})).toEqual({ ...common, prompt, negative_prompt: "rain" });
    expect(await sent({ negative_prompt: null, prompt: "text" })).toEqual({
      ...common,
      text: `${prompt}\n\nAvoid: rain`,
    });
  });

  test("every optional field is carried that the model has a name for, and no style", async () => {
    const { carries } = started.provider;
    for (const kind of ["video", "image"] as const) {
      expect(Object.keys(carries?.(kind, { names }) ?? {})).toEqual(PARAMETERS[kind]);
      expect(carries?.(kind, { names: { seed: null } })).toEqual({});
    }
    const { reference_images } = carries?.("video", { names }) ?? {};
    expect(reference_images).toEqual({ values: ["subject"] });
  });

  test("a fault of asking for the result throws, and does not fail the job", async () => {
    const id = await started.accept(jobWith({ kind: "video", model: MODEL }));
    const page = completed({ result: { status: 200, raw: Buffer.from("<html>") } });
    started.fake.says(id, resultOf({ detail: QUOTE }, 503), page);
    await expect(started.poll(id)).rejects.toThrow("503");
    await expect(started.poll(id)).rejects.toThrow("200");
  });

  test("an answer that names a foreign address never leads the key there", async () => {
    const response_url = "https://evil.test/fal-ai/some-model/requests/1";
    const json = { status: "IN_QUEUE", request_id: "11-22", response_url };
    started.fake.once("submit", { instead: { status: 200, json } });
    const id = await started.accept(jobWith({ kind: "video", model: MODEL }));
    expect(id).toBe("fal-ai/some-model/requests/11-22");
  });

  test("a job that is asked to stop is stopped only when its status says so, or that it is no more", async () => {
    const id = await started.accept(jobWith({ kind: "video", model: MODEL }));
    const requested = { status: 202, json: { status: "CANCELLATION_REQUESTED" } };
    const cancelledAt = (state: JobState) => {
      started.fake.says(id, state);
      started.fake.once("cancel", { instead: requested });
      return started.provider.cancel(id, never);
    };
    expect(await cancelledAt({ status: "IN_PROGRESS" })).toBe(false);
    expect(await cancelledAt(completed())).toBe(false);
    expect(await cancelledAt(failedWith("client_cancelled"))).toBe(true);
    expect(await cancelledAt({ status: "gone" })).toBe(true);
  });
});
