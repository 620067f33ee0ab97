/** The one interface that every upstream lies behind; its answers say what is certain. */
import type { ModeName } from "#runtime/mode.ts";

/** What a generation asks of an upstream. Fields that do not apply to its kind are absent. */
export type Job = {
  /** Ours; sent along so that `find` can tell whether the submit arrived. */
  token: string;
  mode: ModeName;
  model: string;
  prompt: string;
  negativePrompt?: string;
  imageUrls: string[];
  width: number;
  height: number;
  durationSeconds?: number;
  seed?: number;
  promptExtend?: boolean;
  metadata: Readonly<Record<string, string>>;
};

/** Contract.md's codes of a generation's error. */
export type FailureCode =
  | "content_rejected"
  | "invalid_input"
  | "upstream_failed"
  | "upstream_timeout"
  | "expired"
  | "internal";

/** Why a task ends failed; the message is for the client developer and names no provider. */
export type Failure = { code: FailureCode; message: string };

/** Where a result lies, or the result itself. */
export type Source = { url: string; configuredOrigin: boolean } | { content: Uint8Array };

export type Submitted =
  | { kind: "accepted"; upstreamId: string }
  /** Certainly nothing was created; worth another try. */
  | { kind: "rejected"; retryAfterMs?: number }
  /** Certainly nothing was created, and nothing ever will be of this request. */
  | { kind: "refused"; failure: Failure }
  /** The upstream may have created a job. */
  | { kind: "unknown" };

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
  | { kind: "rejected"; retryAfterMs?: number };

/** Methods throw where an answer was not to be had at all; that says nothing about the job. */
export type Provider = {
  /** Names the upstream account; upstream ids are unique within it. */
  credential: string;
  submit: (job: Job, signal: AbortSignal) => Promise<Submitted>;
  find: (token: string, signal: AbortSignal) => Promise<Found>;
  poll: (upstreamId: string, signal: AbortSignal) => Promise<Polled>;
  /** Resolves to true where the upstream has certainly stopped the job. */
  cancel: (upstreamId: string, signal: AbortSignal) => Promise<boolean>;
  /** Makes an image within the call. */
  image: (job: Job, signal: AbortSignal) => Promise<Imaged>;
};
