/** How long a task may wait and run, the waits between its steps, and the progress that polls show. */
import type { Deadlines } from "#gen/proto/media/generation/v1/catalog_pb.ts";
import { addMs } from "#runtime/clock.ts";
import type { KindName } from "#vocabulary/names.ts";
import type { GenerationRow } from "./generation.ts";

const FIRST_MS = 500;
const MAX_MS = 30_000;

/** Doubles with each failure, ±25 % so that rows that failed together do not retry together. `random` is 0 to 1. */
export function backoffMs(failures: number, random: number): number {
  const planned = Math.min(FIRST_MS * 2 ** Math.min(failures, 10), MAX_MS);
  return Math.round(planned * (0.75 + random / 2));
}

const MAX_PAUSE_MS = 60_000;

/** The wait that an upstream asks for, at most a minute: longer ones would outlast the deadlines of tasks. */
export function pauseOf(askedMs: number): number {
  return Math.min(askedMs, MAX_PAUSE_MS);
}

const AGE_SHARE = 0.03;
const MAX_BY_AGE_MS = 10_000;
const MAX_FOR_IMAGES_MS = 1_000;
const JITTER = 0.1;
/** From this wait on, polls come at whole quarters of a second: those of one share a claim and a write. */
const TOGETHER_FROM_MS = 1_500;
const TOGETHER_EVERY_MS = 250;

/**
 * The upstream's advice, or 3 % of the job's age (at most 10 s) if that is longer: a late result then adds little to
 * the time that the job took. A client waits for an image, so that it is polled at least every second. ±10 %, and
 * until the next quarter of a second; `random` is 0 to 1.
 */
export function pollIntervalMs(
  kind: KindName,
  adviceMs: number,
  ageMs: number,
  random: number,
  now: Date,
): number {
  const planned =
    kind === "image"
      ? Math.min(adviceMs, MAX_FOR_IMAGES_MS)
      : Math.max(adviceMs, Math.min(ageMs * AGE_SHARE, MAX_BY_AGE_MS));
  const waitMs = Math.round(planned * (1 - JITTER + 2 * JITTER * random));
  if (waitMs < TOGETHER_FROM_MS) return waitMs;
  const nowMs = now.getTime();
  return Math.ceil((nowMs + waitMs) / TOGETHER_EVERY_MS) * TOGETHER_EVERY_MS - nowMs;
}

/** The wait that the upstream asks for, and up to a quarter more: all who were told to wait do not come at once. */
export function postponedMs(askedMs: number, random: number): number {
  return Math.round(pauseOf(askedMs) * (1 + random / 4));
}

/** Only success is 100. */
const MAX_BEFORE_SUCCESS = 99;
/** The estimate once a video has taken as long as its model's videos usually do. */
const AT_TYPICAL = 90;
/** How long a video is taken to need if its model has made none yet. */
const USUAL_MS = 2 * 60 * 1000;

/** The upstream's number, or an estimate from recent videos of the model: a whole number from `before` to 99. */
export function progressOf(
  before: number,
  reported: number | undefined,
  elapsedMs: number,
  typicalMs = USUAL_MS,
): number {
  const now = reported ?? estimate(elapsedMs / Math.max(typicalMs, 1));
  const whole = Math.floor(Number.isFinite(now) ? now : 0);
  return Math.max(before, Math.min(Math.max(whole, 0), MAX_BEFORE_SUCCESS));
}

/** Linear up to the typical time, then slower and slower. */
function estimate(share: number): number {
  if (share <= 1) return AT_TYPICAL * Math.max(share, 0);
  return AT_TYPICAL + (MAX_BEFORE_SUCCESS - AT_TYPICAL) * (1 - Math.exp(1 - share));
}

const VIDEO_PROCESSING_SECONDS = 20 * 60;
const IMAGE_PROCESSING_SECONDS = 5 * 60;
const QUEUE_SECONDS = 24 * 60 * 60;

function processingMs(kind: KindName, ofModel: Deadlines | undefined): number {
  const usual = kind === "video" ? VIDEO_PROCESSING_SECONDS : IMAGE_PROCESSING_SECONDS;
  return (ofModel?.processingSeconds ?? usual) * 1000;
}

/** When the row's submit began, or the row's creation if no submit is recorded. */
export function submitBegunAt(row: Pick<GenerationRow, "submittedAt" | "createdAt">): Date {
  return row.submittedAt ?? row.createdAt;
}

/** Whose deadline it is. */
export type Due = Pick<GenerationRow, "kind" | "model" | "createdAt">;

/** When a task that no upstream has accepted fails. */
export function queueDeadline({ kind, createdAt }: Due, ofModel: Deadlines | undefined): Date {
  const videoMs = (ofModel?.queueSeconds ?? QUEUE_SECONDS) * 1000;
  return addMs(createdAt, kind === "video" ? videoMs : processingMs(kind, ofModel));
}

/** When a task fails that an upstream has, or may have, since `acceptedAt`. An image's time begins at its creation. */
export function processingDeadline(
  { kind, createdAt }: Due,
  ofModel: Deadlines | undefined,
  acceptedAt: Date,
): Date {
  return addMs(kind === "video" ? acceptedAt : createdAt, processingMs(kind, ofModel));
}
