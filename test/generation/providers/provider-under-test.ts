/** One provider before its fake upstream, for one conformance test. */
import { request } from "undici";
import { expect } from "vitest";
import type {
  Job,
  Provider,
  ProviderSettings,
  Source,
  Submitted,
} from "../../../services/generation/providers/provider.ts";
import { QUOTE } from "../../support/fake-upstreams/fake-upstream.ts";
import { manualClock } from "../../support/manual-clock.ts";
import type { Subject } from "./subject.ts";

const PROVIDER_NAMES =
  /\b(dashscope|alibaba|aliyun|qwen|wan|ark|modelark|volc\w*|byte\w+|doubao|dreamina|seed\w*(dance|dream)|fal|replicate|google|gemini|veo|imagen|openai|sora|gpt)\b/i;

export const never = new AbortController().signal;

export async function startProvider(subject: Subject) {
  const clock = manualClock("2026-06-01T12:00:00.000Z");
  const fake = await subject.start(clock);
  const settings: ProviderSettings = {
    baseUrl: fake.baseUrl,
    key: fake.key,
    clock,
    ...subject.settings,
  };
  return {
    clock,
    fake,
    provider: subject.create(settings),
    providerWith: (other: Partial<ProviderSettings>): Provider =>
      subject.create({ ...settings, ...other }),
    [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
  };
}

export function jobWith(fields: Partial<Job> & Pick<Job, "kind">): Job {
  return {
    token: "5f2c9be7-5b6d-4c39-9a52-6f2f0a4d9f11",
    submittedAt: new Date("2026-01-01T00:00:00.000Z"),
    mode: "live",
    model: "some-model",
    parameters: {},
    endUser: "end-user-1",
    prompt: "A lighthouse in the morning fog",
    imageUrls: [],
    width: 1280,
    height: 720,
    aspectRatio: "16:9",
    ...(fields.kind === "video" ? { durationSeconds: 5 } : {}),
    metadata: {},
    ...fields,
  };
}

/** Submits and insists on its acceptance. */
export async function accepted(provider: Provider, job: Job): Promise<string> {
  const submitted = await provider.submit(job, never);
  if (submitted.kind !== "accepted") throw new Error(`the job was ${submitted.kind}`);
  return submitted.upstreamId;
}

/** The bytes of a result, asked for as delivery does. */
export async function bytesOf(source: Source): Promise<Buffer> {
  if ("content" in source) return Buffer.from(source.content);
  const response = await request(source.url, { headers: source.headers ?? {} });
  return Buffer.from(await response.body.arrayBuffer());
}

/** What an answer to a submit means: whose fault it is, or the code of the failure. */
export function meaningOf(submitted: Submitted): string {
  if (submitted.kind === "closed" || submitted.kind === "rejected") return submitted.fault;
  return submitted.kind === "refused" ? submitted.failure.code : submitted.kind;
}

/** How a call ended: "answered", or the message of what it threw. */
export function endOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "answered",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

/** What reaches the client helps, names no provider and quotes none. */
export function expectClientWords(failure: { message: string }): void {
  expect(failure.message.length).toBeGreaterThan(20);
  expect(failure.message).not.toMatch(PROVIDER_NAMES);
  expect(failure.message).not.toContain(QUOTE);
}
