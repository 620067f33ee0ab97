/** Upstreams whose every answer a test sets. Their providers record the jobs that they are sent and that they cancel. */
import type {
  Callback,
  Imaged,
  Job,
  Polled,
  Provider,
  Submitted,
} from "../../services/generation/providers/provider.ts";
import { everything } from "../../services/generation/domain/parameters.ts";
import type { Upstreams, Upstream } from "../../services/generation/upstreams/upstreams.ts";

/** An upstream's result, ready to be copied. */
export const FINISHED = {
  kind: "succeeded",
  sources: [{ url: "http://upstream.test/file", configuredOrigin: true }],
} satisfies Polled & Imaged;

export const running = (pollAfterMs: number) => ({ kind: "running", pollAfterMs }) satisfies Polled;

type Answers = {
  onSubmit: (job: Job) => Submitted | Promise<Submitted>;
  onFind: (token: string, sentAt: Date) => string | undefined;
  onPoll: (upstreamId: string) => Polled | Promise<Polled>;
  onImage: (job: Job) => Imaged | Promise<Imaged>;
  onCancel: (upstreamId: string) => boolean | Promise<boolean>;
  onCallback: (callback: Callback) => string | undefined;
};

export type ScriptedProvider = Provider & Answers & { submitted: Job[]; cancelled: string[] };

/** Accepts every job and finishes it at the first poll; of a lost submit it knows nothing. */
export function scriptedAnswers(): Answers {
  return {
    onSubmit: (job) => ({ kind: "accepted", upstreamId: `job-${job.token}` }),
    onFind: () => undefined,
    onPoll: () => FINISHED,
    onImage: () => FINISHED,
    onCancel: () => true,
    onCallback: () => undefined,
  };
}

export function scriptedProvider(): ScriptedProvider {
  const provider: ScriptedProvider = {
    ...scriptedAnswers(),
    submitted: [],
    cancelled: [],
    submit: async (job) => {
      provider.submitted.push(job);
      return provider.onSubmit(job);
    },
    find: async ({ token, submittedAt }) => provider.onFind(token, submittedAt),
    poll: async (upstreamId) => provider.onPoll(upstreamId),
    cancel: async (upstreamId) => {
      provider.cancelled.push(upstreamId);
      return provider.onCancel(upstreamId);
    },
    image: async (job) => {
      provider.submitted.push(job);
      return provider.onImage(job);
    },
    callback: (callback) => provider.onCallback(callback),
    carries: everything,
    check: async () => ({ ok: true }),
  };
  return provider;
}

export type ScriptedUpstream = Omit<Upstream, "provider"> & { provider: ScriptedProvider };

export function scriptedUpstream(name: string, limits: Upstream["limits"] = {}): ScriptedUpstream {
  return {
    name,
    credential: `key of ${name}`,
    provider: scriptedProvider(),
    upstreamModel: `model of ${name}`,
    priority: 0,
    weight: 1,
    parameters: {},
    limits,
  };
}

export type ScriptedUpstreams = Upstreams & {
  /** Best first, for every model; a test may change them. */
  availableUpstreams: Upstream[];
};

export function scriptedUpstreams(...upstreams: Upstream[]): ScriptedUpstreams {
  const scripted: ScriptedUpstreams = {
    availableUpstreams: upstreams,
    of: () => scripted.availableUpstreams.map((upstream, priority) => ({ ...upstream, priority })),
    byName: (name) => upstreams.find((upstream) => upstream.name === name),
  };
  return scripted;
}
