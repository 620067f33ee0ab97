/** The one interface that every upstream lies behind; its answers say what is certain. */
import type { Failure } from "../domain/failures.ts";
import type { Job } from "../domain/job.ts";

export type { Failure, FailureCode } from "../domain/failures.ts";
export type { Job } from "../domain/job.ts";

/** Where a result lies, or the result itself. */
export type Source =
  | {
      url: string;
      configuredOrigin: boolean;
      /** Sent to the URL's own origin only, never to where it redirects: e.g. the upstream's key. */
      headers?: Readonly<Record<string, string>>;
    }
  | { content: Uint8Array };

/**
 * Why an upstream will not serve us although the request is sound: operators have to act, and the
 * route is closed until they have or the circuit tries it again.
 */
export type OperatorFault = "auth" | "billing" | "config";

export type Submitted =
  | { kind: "accepted"; upstreamId: string }
  /** Certainly nothing was created; worth another try here or on another route. */
  | { kind: "rejected"; fault: "rate_limited" | "unavailable"; retryAfterMs?: number }
  /** Certainly nothing was created; this route serves nobody until operators act. `detail` is for the log. */
  | { kind: "closed"; fault: OperatorFault; detail: string }
  /** Certainly nothing was created, and nothing ever will be of this request. */
  | { kind: "refused"; failure: Failure }
  /** The upstream may have created a job. */
  | { kind: "unknown" };

/** A submit whose answer was lost, for `find`. */
export type LostSubmit = { job: Job; sentAt: Date };

export type Found =
  | { kind: "found"; upstreamId: string }
  | { kind: "absent" }
  | { kind: "unknown" };

export type Polled =
  | { kind: "running"; progress?: number; pollAfterMs: number }
  | { kind: "succeeded"; sources: Source[] }
  | { kind: "failed"; failure: Failure }
  /** The upstream stopped the job. */
  | { kind: "stopped" }
  /** The upstream does not know the job (any more). */
  | { kind: "gone" };

export type Imaged =
  | { kind: "succeeded"; sources: Source[] }
  | { kind: "failed"; failure: Failure }
  | Extract<Submitted, { kind: "rejected" | "closed" }>;

/** A request that reached a job's callback address. Header names are lower case. */
export type Callback = {
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** The upstream's name of the job's model, from its route: some callbacks do not repeat it. */
  model?: string;
};

/** Whether the upstream's cheapest harmless request works; `detail` is for operators. */
export type Checked =
  | { ok: true }
  | { ok: false; fault: OperatorFault | "unavailable"; detail: string };

/** Methods throw where an answer was not to be had at all; that says nothing about the job. */
export type Provider = {
  submit: (job: Job, signal: AbortSignal) => Promise<Submitted>;
  /** Looks for a job whose submit was sent but not answered. */
  find: (lost: LostSubmit, signal: AbortSignal) => Promise<Found>;
  poll: (upstreamId: string, signal: AbortSignal) => Promise<Polled>;
  /** Resolves to true where the upstream has certainly stopped the job. */
  cancel: (upstreamId: string, signal: AbortSignal) => Promise<boolean>;
  /** Makes an image within the call. Absent where images, too, are jobs: submit and poll. */
  image?: (job: Job, signal: AbortSignal) => Promise<Imaged>;
  /** The upstream id that a genuine callback names; undefined where its signature is wrong. Absent where the upstream calls nobody back. */
  callback?: (callback: Callback) => Promise<string | undefined>;
  check: (signal: AbortSignal) => Promise<Checked>;
};
