/** A job: what its id carries, and its state at a given time. */
import { createHash } from "node:crypto";
import { type Plan, planOf } from "./plan.ts";
import type { Picture } from "./render/picture.ts";
import { seedOf } from "./scene/random.ts";
import { sceneSpecOf } from "./scene/spec.ts";

export type JobRequest = {
  readonly client_token: string;
  readonly submitted_at_ms: number;
  readonly kind: "video" | "image";
  readonly prompt: string;
  readonly width: number;
  readonly height: number;
  readonly duration_seconds?: number;
  readonly seed?: number;
  /** How many pictures; one when absent. */
  readonly count?: number;
  readonly background?: "opaque" | "transparent";
  readonly output_format?: "png" | "jpeg" | "webp";
  readonly simulate?: unknown;
};

/** Plain JSON, as short as drawing allows: it is part of the job's id. */
export type Job = {
  /** Distinguishes jobs that ask for the same at the same time. */
  readonly token_digest: string;
  readonly submitted_at_ms: number;
  readonly plan: Plan;
  readonly picture: Picture;
  /** How many pictures like that, each of another moment and chance; one when absent. */
  readonly count?: number;
};

/** Without a message where it was asked for. */
export type JobError = { readonly code: string; readonly message?: string };

export type JobState =
  | { readonly status: "queued" | "running" | "succeeded"; readonly progress: number }
  | { readonly status: "failed"; readonly progress: number; readonly error: JobError };

const HANGING_HALF_LIFE_MS = 60_000;
const TOKEN_DIGEST_LENGTH = 16;
const MAX_SEED = 2 ** 31;

/** The same request always makes the same job. */
export function jobOf(request: JobRequest, paceMs: number): Job {
  const { kind, width, height, prompt, seed = seedOf(prompt), count = 1 } = request;
  const drawn = { width, height, scene: sceneSpecOf(prompt, seed, { width, height }) };
  const digest = createHash("sha256").update(request.client_token).digest("base64url");
  return {
    token_digest: digest.slice(0, TOKEN_DIGEST_LENGTH),
    submitted_at_ms: request.submitted_at_ms,
    plan: planOf(kind, request.simulate, paceMs),
    picture:
      kind === "image"
        ? { kind, ...drawn, ...styleOf(request) }
        : { kind, ...drawn, durationSeconds: request.duration_seconds ?? 0 },
    ...(count > 1 ? { count } : {}),
  };
}

/** The pictures of the job, of which the first is the one that a job of one picture has. */
export function picturesOf({ picture, count = 1 }: Job): Picture[] {
  const { scene } = picture;
  return Array.from({ length: count }, (_, index) => ({
    ...picture,
    scene: { ...scene, random_seed: (scene.random_seed + index) % MAX_SEED },
  }));
}

function styleOf({ background, output_format: format }: JobRequest) {
  return {
    ...(format === undefined || format === "png" ? {} : { format }),
    ...(background === "transparent" ? { isTransparent: true as const } : {}),
  };
}

/** By the plan alone, whether its file is made or not. Progress never falls and is 100 on success only. */
export function stateAt({ plan, submitted_at_ms }: Job, now: Date): JobState {
  const elapsedMs = Math.max(0, now.getTime() - submitted_at_ms);
  const progress = progressAfter(plan, elapsedMs);
  if (elapsedMs < plan.queued_ms) return { status: "queued", progress };
  if (plan.total_ms === null || elapsedMs < plan.total_ms) return { status: "running", progress };
  if (plan.fail_code === undefined) return { status: "succeeded", progress: 100 };
  return { status: "failed", progress, error: { code: plan.fail_code } };
}

function progressAfter({ queued_ms, total_ms }: Plan, elapsedMs: number): number {
  if (elapsedMs < queued_ms) return 0;
  if (total_ms === null) return Math.floor(90 * (1 - 0.5 ** (elapsedMs / HANGING_HALF_LIFE_MS)));
  return total_ms === 0 ? 99 : Math.min(99, Math.floor((100 * elapsedMs) / total_ms));
}

/**
 * The longest id, which is the whole job, encrypted: any replica can answer for it, and nobody else can read it. It has a
 * caption of quotation marks, which JSON escapes, and the longest failure code.
 */
export const MAX_JOB_ID_LENGTH = 1_500;
