/** A job: what its id carries, and its state at a given time. */
import { createHash } from "node:crypto";
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

export type Plan = {
  readonly queued_ms: number;
  /** Time from creation to the end; null: it never ends. */
  readonly total_ms: number | null;
  readonly fail_code?: string;
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

const QUEUED_SHARE = 0.1;
const IMAGE_SHARE = 0.25;

/** An instruction that is absent or not understood gives a job that succeeds at the usual pace. */
function planOf(kind: "video" | "image", simulate: unknown, paceMs: number): Plan {
  const usualMs = kind === "video" ? paceMs : paceMs * IMAGE_SHARE;
  const instruction = typeof simulate === "string" ? simulate : "";
  if (instruction === "hang") return { queued_ms: usualMs * QUEUED_SHARE, total_ms: null };
  const slow = /^slow:(\d{1,7}(?:\.\d{1,3})?)$/.exec(instruction);
  if (slow !== null) return timed(Number(slow[1]) * 1000);
  const fail = /^fail:([a-z][a-z0-9_]{0,63})$/.exec(instruction);
  if (fail?.[1] !== undefined) return { ...timed(usualMs / 2), fail_code: fail[1] };
  return timed(usualMs);
}

/** Whether a picture will be asked for at all. */
export function needsPicture(plan: Plan): boolean {
  return plan.total_ms !== null && plan.fail_code === undefined;
}

function timed(totalMs: number): Plan {
  return { queued_ms: totalMs * QUEUED_SHARE, total_ms: totalMs };
}

/** By the plan alone, whether its file is made or not. Progress never falls and is 100 on success only. */
export function stateAt({ plan, submitted_at_ms }: Job, now: Date) {
  const elapsedMs = Math.max(0, now.getTime() - submitted_at_ms);
  const progress = progressAfter(plan, elapsedMs);
  if (elapsedMs < plan.queued_ms) return { status: "queued" as const, progress };
  if (elapsedMs < (plan.total_ms ?? Infinity)) return { status: "running" as const, progress };
  if (plan.fail_code === undefined) return { status: "succeeded" as const, progress: 100 };
  return { status: "failed" as const, progress, error: { code: plan.fail_code } };
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
