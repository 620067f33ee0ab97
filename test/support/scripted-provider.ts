/** An upstream whose every answer a test writes; it remembers what it was asked. */
import type {
  Callback,
  Found,
  Imaged,
  Job,
  Polled,
  Provider,
  Submitted,
} from "../../services/generation/providers/provider.ts";

export type ScriptedProvider = Provider & {
  submitted: Job[];
  cancelled: string[];
  onSubmit: (job: Job) => Submitted | Promise<Submitted>;
  onFind: (token: string) => Found;
  onPoll: (upstreamId: string) => Polled;
  onImage: (job: Job) => Imaged | Promise<Imaged>;
  onCancel: (upstreamId: string) => boolean | Promise<boolean>;
  onCallback: (callback: Callback) => string | undefined;
};

/** Accepts every job and finishes it at the first poll. */
export function scriptedAnswers(): Pick<
  ScriptedProvider,
  "onSubmit" | "onFind" | "onPoll" | "onImage" | "onCancel" | "onCallback"
> {
  const sources = [{ url: "http://upstream.test/file", configuredOrigin: true }];
  return {
    onSubmit: (job) => ({ kind: "accepted", upstreamId: `job-${job.token}` }),
    onFind: () => ({ kind: "absent" }),
    onPoll: () => ({ kind: "succeeded", sources }),
    onImage: () => ({ kind: "succeeded", sources }),
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
    find: async ({ job }) => provider.onFind(job.token),
    poll: async (upstreamId) => provider.onPoll(upstreamId),
    cancel: async (upstreamId) => {
      provider.cancelled.push(upstreamId);
      return provider.onCancel(upstreamId);
    },
    image: async (job) => {
      provider.submitted.push(job);
      return provider.onImage(job);
    },
    callback: async (callback) => provider.onCallback(callback),
    check: async () => ({ ok: true }),
  };
  return provider;
}
