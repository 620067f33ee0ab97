/** The provider for Replicate: conformance, and what is Replicate's own. */
import { replicateProvider } from "../../../services/generation/providers/vendors/replicate.ts";
import type { Job } from "../../../services/generation/providers/provider.ts";
import { QUOTE, type FakeReply, type JobState } from "../../support/fake-upstreams/fake.ts";
import { replicateCallback, startReplicateFake } from "../../support/fake-upstreams/replicate.ts";
import { conforms } from "./conformance.ts";
import { fileAt, jobWith, never } from "./provider-under-test.ts";

const MODEL = "owner/name";
const FILE = "https://replicate.delivery/one.mp4";
const OTHER = "https://replicate.delivery/two.png";
const DEEP = Array.from({ length: 26 }).reduce<unknown>((video) => ({ video }), FILE);

const problem = (status: number, title: string, detail = QUOTE): FakeReply => ({
  status,
  json: { title, detail, status, type: "about:blank" },
});
const wrongInput = (detail: string) => problem(422, "Input validation failed", `- input${detail}`);
const failed = (error: string | null): JobState => ({ status: "failed", error });
const made = (output: unknown, more: object = {}) => ({ status: "succeeded", output, ...more });

const started = conforms({
  name: "Replicate",
  create: replicateProvider,
  start: startReplicateFake,
  refusals: {
    billing: [problem(402, "Insufficient credit")],
    config: [
      problem(404, "Not found"),
      problem(422, "Invalid version or not permitted"),
      wrongInput(": Additional property enhance is not allowed\n"),
    ],
    content_rejected: [wrongInput(`.prompt: flagged as sensitive (E005) ${QUOTE}`)],
    invalid_input: [
      wrongInput(`.duration: must be one of 5, 10: ${QUOTE}`),
      // A client may leave a seed out: one that sends it must not suspend the upstream for all.
      wrongInput(": Additional property seed is not allowed\n"),
    ],
    rate_limited: [{ status: 429, json: { detail: QUOTE, status: 429 } }],
    unknown: [{ status: 500, json: { detail: QUOTE } }],
  },
  jobs: {
    job: { kind: "video", model: MODEL, parameters: { names: { seed: "seed" } } },
    states: { running: "processing", succeeded: "succeeded", odd: "booting", gone: "gone" },
    ends: {
      upstream_failed: [
        failed(`CUDA out of memory: ${QUOTE}`),
        failed("Prediction interrupted (code: PA)"),
        failed("Service is experiencing high demand (E003)"),
        { ...failed(null), data_removed: true },
        made(null),
        made("a text"),
      ],
      content_rejected: [
        failed(`The input or output was flagged as sensitive (E005): ${QUOTE}`),
        failed("NSFW content detected. Try running it again."),
      ],
      invalid_input: [
        failed(`Validation error: ${QUOTE}`),
        failed("cannot identify image file '/tmp/a'"),
      ],
      expired: [made(null, { data_removed: true })],
      stopped: ["canceled", "aborted"],
    },
    results: [
      [made(FILE), [fileAt(FILE)]],
      [made([FILE, OTHER]), [fileAt(FILE), fileAt(OTHER)]],
      [made({ cover: OTHER, video: FILE, seed: 1 }), [fileAt(FILE)]],
      [made(DEEP), [fileAt(FILE)]],
      [made({ files: [FILE, OTHER] }), [fileAt(FILE), fileAt(OTHER)]],
      [
        made(`data:image/png;base64,${Buffer.from("a picture").toString("base64")}`),
        [{ content: Buffer.from("a picture") }],
      ],
    ],
    find: "found",
    cancel: { inTime: "processing", tooLate: { status: "processing", isDeaf: true } },
  },
  imageJob: { kind: "image", model: MODEL },
  callbacks: { about: replicateCallback, nameless: [] },
});

describe("Replicate's own ways", () => {
  const video = (fields: Partial<Job> = {}) => jobWith({ kind: "video", model: MODEL, ...fields });
  test("an official model goes by its name, another by its version, with the callback of completion", async () => {
    const callbackUrl = "https://api.customer.test/callbacks/a";
    const parameters = { version: "5c7d5dc6", input: { fps: 24 }, names: { image: "first_frame" } };
    const imageUrls = ["https://pictures.test/a.png"];
    const prompt = "A lighthouse in the morning fog";
    const input = { prompt, aspect_ratio: "16:9", duration: 5 };
    await started.accept(video());
    await started.accept(video({ parameters, imageUrls, callbackUrl }));
    const sent = started.fake.requests.map(({ path, json }) => [path, json]);
    expect(sent).toEqual([
      ["/models/owner/name/predictions", { input }],
      [
        "/predictions",
        {
          version: "5c7d5dc6",
          input: { ...input, fps: 24, first_frame: imageUrls[0] },
          webhook: callbackUrl,
          webhook_events_filter: ["completed"],
        },
      ],
    ]);
  });

  test("the text of a 429 says when to come again", async () => {
    const detail = "Request was throttled. Your rate limit resets in ~30s.";
    started.fake.once("submit", { instead: { status: 429, json: { detail } } });
    const rejected = { kind: "rejected", fault: "rate_limited", retryAfterMs: 30_000 };
    expect(await started.submit(video())).toEqual(rejected);
  });

  test("a lost create is found by its seed or its callback among many alike, pages away", async () => {
    const submittedAt = started.clock.now();
    const seeded = video({ submittedAt, token: "one", parameters: { names: { seed: "seed" } } });
    const first = await started.accept(seeded);
    for (const token of ["two", "three", "four"]) await started.accept({ ...seeded, token });
    const find = (job: Job) => started.provider.find?.(job, never);
    expect(await find(seeded)).toBe(first);
    expect(await find({ ...seeded, token: "five" })).toBeUndefined();
    await started.accept(video({ token: "eight" }));
    expect(await find(video({ submittedAt, token: "eight" }))).toBeUndefined();
    const ofClient = { ...seeded, token: "six", seed: 42 };
    await started.accept(ofClient);
    await started.accept({ ...ofClient, token: "seven" });
    expect(await find(ofClient)).toBeUndefined();
    const json = { next: null, results: [{ id: "abc", webhook: "https://api.test/callbacks/a" }] };
    started.fake.once("list", { instead: { status: 200, json } });
    expect(await find({ ...ofClient, callbackUrl: "https://api.test/callbacks/a" })).toBe("abc");
  });
});
