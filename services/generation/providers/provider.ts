/** The interface of all providers; its answers distinguish what is certain from what is unknown. */
import type { Clock } from "#runtime/clock.ts";
import type { Failure } from "../domain/failures.ts";
import type { Serving } from "../domain/capabilities.ts";
import type { Job, Picture } from "../domain/job.ts";
import type { OperatorFault } from "../domain/pause-rules.ts";

export type { Failure, Job, OperatorFault, Picture };

/** The location of a result, or its bytes. There may be more than were asked for: of them the first ones are used. */
export type Source =
  | {
      url: string;
      configuredOrigin: boolean;
      /** Sent to the URL's own origin only, not to another that a redirect names; e.g. the upstream's key. */
      headers?: Readonly<Record<string, string>> | undefined;
    }
  | { content: Uint8Array };

export type Submitted =
  | { kind: "accepted"; upstreamId: string }
  /** Certainly nothing was created; a retry here or on another upstream may succeed. */
  | { kind: "rejected"; fault: "rate_limited" | "unavailable"; retryAfterMs?: number | undefined }
  /** Certainly nothing was created; operators must act. `detail` is for the log. */
  | { kind: "closed"; fault: OperatorFault; detail: string }
  /** Certainly nothing was created; a retry of this request would fail too. */
  | { kind: "refused"; failure: Failure }
  /** The upstream may have created a job. */
  | { kind: "unknown" };

export type Polled =
  /** `retryAfterMs`: the upstream asks not to be polled sooner. */
  | {
      kind: "running";
      progress?: number | undefined;
      pollAfterMs: number;
      retryAfterMs?: number | undefined;
    }
  | { kind: "succeeded"; sources: Source[] }
  | { kind: "failed"; failure: Failure }
  | { kind: "stopped" }
  /** The upstream does not know the job, or no longer does. */
  | { kind: "gone" };

export type Imaged =
  | Extract<Polled, { kind: "succeeded" | "failed" }>
  | Extract<Submitted, { kind: "rejected" | "closed" }>;

/** A request that reached a job's callback address. */
export type Callback = {
  body: Uint8Array;
  /** The upstream's name of the job's model; some callbacks do not repeat it. */
  model?: string;
};

/** The result of the upstream's cheapest harmless request; `detail` is for operators. */
export type Checked =
  | { ok: true }
  | { ok: false; fault: OperatorFault | "unavailable"; detail: string };

/** A method that gets no usable answer throws; that says nothing about the job. */
export type Provider = {
  /** The upstream takes the bytes of pictures, not their URLs: a submitted job needs `pictures`. */
  takesBytes?: true;
  carries?: NonNullable<Serving["provider"]["carries"]>;
  submit: (job: Job, signal: AbortSignal) => Promise<Submitted>;
  /**
   * The upstream id of a job whose submit was sent but not answered. Undefined where it was not found: it may still exist,
   * no upstream can say for certain that it does not. Absent if a vendor's lists tell no submit from another.
   */
  find?: (lost: Job, signal: AbortSignal) => Promise<string | undefined>;
  poll: (upstreamId: string, signal: AbortSignal) => Promise<Polled>;
  /** Resolves to true if the upstream has certainly stopped the job. */
  cancel: (upstreamId: string, signal: AbortSignal) => Promise<boolean>;
  /** Makes an image within one call. Absent if images are made by submit and poll. */
  image?: (job: Job, signal: AbortSignal) => Promise<Imaged>;
  /** `find` and `poll` know the job of an image call too, so that an image whose call was cut off goes on with it. */
  findsImages?: true;
  /**
   * The upstream id in a callback; undefined if it has none. Absent if the upstream sends none. Signatures of vendors are
   * not checked: the address cannot be guessed, and a poll confirms the state.
   */
  callback?: (callback: Callback) => string | undefined;
  check: (signal: AbortSignal) => Promise<Checked>;
};

export type ProviderSettings = {
  /** The upstream's URL as documented, without a trailing slash. The key is sent to this origin only. */
  baseUrl: string;
  key: string;
  clock: Clock;
};

export type CreateProvider = (settings: ProviderSettings) => Provider;
