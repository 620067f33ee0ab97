/** A job of the simulated provider: what is kept of it, and what it looks like at a given time. */
import type { Plan } from "./plan.ts";

export type JobRequest = {
  readonly client_token: string;
  readonly kind: "video" | "image";
  readonly model: string;
  readonly prompt: string;
  readonly negative_prompt?: string;
  readonly width: number;
  readonly height: number;
  readonly duration_seconds?: number;
  readonly seed?: number;
  readonly image_count_refs?: number;
  readonly simulate?: unknown;
};

/** As it is on disk. Its state is not kept but follows from the plan and the time. */
export type Job = {
  readonly id: string;
  readonly request: JobRequest;
  readonly seed: number;
  readonly plan: Plan;
  readonly created_at: string;
  readonly canceled_at?: string;
  /** The finished file, relative to the simulator's directory. */
  readonly file?: string;
  readonly render_error?: string;
};

export type JobError = { readonly code: string; readonly message: string };

export type JobState =
  | { readonly status: "queued" | "running" | "succeeded" | "canceled"; readonly progress: number }
  | { readonly status: "failed"; readonly progress: number; readonly error: JobError };

const HANGING_HALF_LIFE_MS = 60_000;

/** The job at `now`. Progress is 0–100, never falls as time goes on, and is 100 on success only. */
export function stateAt(job: Job, now: Date): JobState {
  const until = job.canceled_at === undefined ? now : new Date(job.canceled_at);
  const elapsedMs = Math.max(0, until.getTime() - Date.parse(job.created_at));
  const progress = progressAfter(job.plan, elapsedMs);
  if (job.canceled_at !== undefined) return { status: "canceled", progress };
  if (elapsedMs < job.plan.queued_ms) return { status: "queued", progress };
  if (job.plan.total_ms === null || elapsedMs < job.plan.total_ms) {
    return { status: "running", progress };
  }
  const error = errorOf(job);
  if (error !== undefined) return { status: "failed", progress, error };
  if (job.file !== undefined) return { status: "succeeded", progress: 100 };
  return { status: "running", progress };
}

function progressAfter({ queued_ms, total_ms }: Plan, elapsedMs: number): number {
  if (elapsedMs < queued_ms) return 0;
  if (total_ms === null) return Math.floor(90 * (1 - 0.5 ** (elapsedMs / HANGING_HALF_LIFE_MS)));
  return total_ms === 0 ? 99 : Math.min(99, Math.floor((100 * elapsedMs) / total_ms));
}

function errorOf({ plan, render_error }: Job): JobError | undefined {
  if (plan.fail_code !== undefined) {
    return { code: plan.fail_code, message: "the simulation was asked to fail" };
  }
  if (render_error === undefined) return undefined;
  return { code: "upstream_failed", message: `the picture could not be made: ${render_error}` };
}
