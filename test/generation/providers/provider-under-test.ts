/** What the conformance suite is told about a provider, and one provider before its fake upstream for one test. */
import { request } from "undici";
import { afterEach, beforeEach, expect } from "vitest";
import type {
  Callback,
  CreateProvider,
  Imaged,
  Job,
  Polled,
  Provider,
  ProviderSettings,
  Source,
  Submitted,
} from "../../../services/generation/providers/provider.ts";
import {
  QUOTE,
  type FakeReply,
  type FakeUpstream,
  type JobState,
} from "../../support/fake-upstreams/fake.ts";
import { manualClock, type ManualClock } from "../../support/manual-clock.ts";

/** What each answer means, as `meaningOf` reads it. The first answer of a meaning represents all others of it. */
type ByMeaning<Each, Always extends string, Others extends string> = Record<Always, Each[]> &
  Partial<Record<Others, Each[]>>;

/** Exact answers to a create, whose texts hold `QUOTE`. `unknown`: a 5xx; `rate_limited`: without a Retry-After. */
export type Refusals = ByMeaning<
  FakeReply,
  "billing" | "content_rejected" | "invalid_input" | "rate_limited" | "unknown",
  "auth" | "config" | "unavailable"
>;

/** One kind of job. Its fake's operations are "submit", "poll", "cancel" and "check". */
export type JobSubject = {
  /** What the upstreams file says of the model: `model`, `parameters` and the like. */
  job: Partial<Job> & Pick<Job, "kind">;
  /** Status words; `odd` is one that nobody knows. */
  states: Record<"running" | "succeeded" | "odd" | "gone", string>;
  ends: ByMeaning<
    string | JobState,
    "upstream_failed" | "content_rejected",
    "invalid_input" | "upstream_timeout" | "expired" | "stopped" | "gone" | "running"
  >;
  /** Successes, and where their results are; none where the upstream's answers hold no URL. */
  results?: [JobState, Source[]][];
  /** What `find` says of a job that was recorded while its answer was lost. */
  find: "found" | "unknown";
  /** The state in which a cancel works, and one in which it comes too late; absent: no cancel at all. */
  cancel?: { inTime: string; tooLate: string | JobState };
};

/** Images within one call. Its fake's operation is "image". */
export type ImageSubject = {
  job: Partial<Job>;
  /** Answers of status 200: what they mean, or the image that they hold. */
  answers: [FakeReply, string | Source][];
};

export type CallbackSubject = {
  about: (upstreamId: string) => Callback;
  /** Bodies that name no job. */
  nameless: string[];
};

export type Subject = {
  name: string;
  create: CreateProvider;
  start: (clock: ManualClock) => Promise<FakeUpstream>;
  refusals: Refusals;
  jobs: JobSubject;
  /** An image that is a job, too, whose fields are tried. */
  imageJob?: JobSubject["job"];
  image?: ImageSubject;
  callbacks?: CallbackSubject;
};

const PROVIDER_NAMES =
  /\b(dashscope|alibaba|aliyun|qwen|wan|ark|modelark|volc\w*|byte\w+|doubao|dreamina|seed\w*(dance|dream)|fal|replicate|google|gemini|veo|imagen|openai|sora|gpt)\b/i;

export const never = new AbortController().signal;

async function startProvider(subject: Pick<Subject, "create" | "start">) {
  const clock = manualClock("2026-06-01T12:00:00.000Z");
  const fake = await subject.start(clock);
  const settings: ProviderSettings = { baseUrl: fake.baseUrl, key: fake.key, clock };
  const provider = subject.create(settings);
  return {
    clock,
    fake,
    provider,
    submit: (job: Job) => provider.submit(job, never),
    send: (job: Job) => send(provider, job),
    /** Submits and insists on its acceptance. */
    accept: async (job: Job) => {
      const submitted = await provider.submit(job, never);
      if (submitted.kind !== "accepted") throw new Error(`the job was ${submitted.kind}`);
      return submitted.upstreamId;
    },
    poll: (upstreamId: string) => provider.poll(upstreamId, never),
    /** What looks at the newest job say from now on, one after the other. */
    says: (...script: (string | JobState)[]) => fake.says(fake.jobs.at(-1)?.id ?? "", ...script),
    providerWith: (other: Partial<ProviderSettings>): Provider =>
      subject.create({ ...settings, ...other }),
    [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
  };
}

type Provided = Awaited<ReturnType<typeof startProvider>>;

export type Started = Provided & { another: () => Promise<Provided> };

/** One for each test of the file. */
export function useProvider(subject: Subject): Started {
  const started = {} as Started;
  const another = () => startProvider(subject);
  beforeEach(async () => void Object.assign(started, await another(), { another }));
  afterEach(() => started[Symbol.asyncDispose]());
  return started;
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
    ...(fields.kind === "video" ? { durationSeconds: 5, aspectRatio: "16:9" } : {}),
    metadata: {},
    ...fields,
  };
}

/** Sends a create as the kind of its job is sent. */
export async function send(provider: Provider, job: Job): Promise<Submitted | Imaged> {
  return job.kind === "image" && provider.image
    ? provider.image(job, never)
    : provider.submit(job, never);
}

/** What the upstream is sent for a job of these fields. */
export async function sentFor({ provider, fake }: Started, fields: Partial<Job>): Promise<unknown> {
  const answer = await send(provider, jobWith({ kind: "video", ...fields }));
  expect(["accepted", "succeeded"]).toContain(answer.kind);
  return fake.requests.at(-1)?.json;
}

/** The bytes of a result, asked for as delivery does. */
export async function bytesOf(source: Source): Promise<Buffer> {
  if ("content" in source) return Buffer.from(source.content);
  const response = await request(source.url, { headers: source.headers ?? {} });
  return Buffer.from(await response.body.arrayBuffer());
}

/** A result at a host that is not the upstream's: it is fetched without the key. */
export const fileAt = (url: string): Source => ({ url, configuredOrigin: false });

/** What an answer means: whose fault it is, the code of the failure, or its kind. What clients read of it helps. */
export function meaningOf(answer: Submitted | Imaged | Polled): string {
  if ("fault" in answer) return answer.fault;
  if (!("failure" in answer)) return answer.kind;
  const { code, message } = answer.failure;
  expect(message.length).toBeGreaterThan(20);
  expect(message).not.toMatch(PROVIDER_NAMES);
  expect(message).not.toContain(QUOTE);
  return code;
}

/** How a call ended: "answered", or the message of what it threw. */
export function endOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "answered",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
