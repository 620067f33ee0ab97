/** What the conformance suite is told about a provider and its fake upstream. */
import type {
  Callback,
  CreateProvider,
  Job,
  ProviderSettings,
} from "../../../services/generation/providers/provider.ts";
import type {
  FakeReply,
  FakeUpstream,
  JobState,
} from "../../support/fake-upstreams/fake-upstream.ts";
import type { ManualClock } from "../../support/manual-clock.ts";

/** How the upstream answers a create that it does not take, in its exact shapes. Their texts hold `QUOTE`. */
export type Refusals = {
  billing: FakeReply;
  /** E.g. a model that is not known; absent where the upstream has no such answer. */
  config?: FakeReply;
  content: FakeReply;
  input: FakeReply;
  /** Without a Retry-After: the suite adds it. */
  rateLimited: FakeReply;
  /** A 5xx. */
  broken: FakeReply;
};

/** One kind of job. Its fake's operations are "submit", "poll", "cancel" and "check". */
export type JobSubject = {
  /** What the upstreams file says of the model: `model`, `parameters` and the like. */
  job: Partial<Job> & Pick<Job, "kind">;
  refusals: Refusals;
  states: {
    running: JobState;
    succeeded: JobState;
    /** A status word that nobody knows. */
    odd: JobState;
    /** The upstream's own fault. */
    failed: JobState;
    contentRejected: JobState;
    badInput?: JobState;
    /** Stopped upstream; absent where no such state exists. */
    stopped?: JobState;
    gone: JobState;
    /** Success with the result at this URL; absent where the upstream's answers hold no URL. */
    succeededAt?: (url: string) => JobState;
  };
  /** What `find` says of a job that was recorded while its answer was lost. */
  find: "found" | "unknown";
  /** The state in which a cancel works, and one in which it comes too late; absent: no cancel at all. */
  cancel?: { inTime: JobState; tooLate: JobState };
};

/** Images within one call. Its fake's operation is "image". */
export type ImageSubject = {
  job: Partial<Job>;
  refusals: Refusals;
  /** Refusals in an answer of status 200. */
  contentRejected?: FakeReply;
  /** A status 200 without an image. */
  empty: FakeReply;
  /** Answers in other shapes that hold one image: its bytes, or a URL. */
  alsoSucceeds?: { reply: FakeReply; content?: Uint8Array; url?: string }[];
};

export type CallbackSubject = {
  settings?: Partial<ProviderSettings>;
  genuine: (fake: FakeUpstream, upstreamId: string, clock: ManualClock) => Callback;
  /** Each must be turned away: badly signed, stale, not signed at all, not even JSON. */
  false: Record<string, (fake: FakeUpstream, upstreamId: string, clock: ManualClock) => Callback>;
};

export type Subject = {
  name: string;
  create: CreateProvider;
  start: (clock: ManualClock) => Promise<FakeUpstream>;
  settings?: Partial<ProviderSettings>;
  jobs: JobSubject[];
  image?: ImageSubject;
  callbacks?: CallbackSubject;
};
