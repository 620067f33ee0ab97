/** How long a task may wait and run: what the catalog sets for its model, or the defaults. */
import type { Deadlines } from "#gen/proto/media/generation/v1/catalog_pb.ts";
import { addMs } from "#runtime/clock.ts";
import type { KindName } from "#vocabulary/names.ts";
import type { GenerationRow } from "./generation.ts";

export type DeadlinesMs = {
  /** A video: from its acceptance by an upstream. An image: from its creation. */
  processingMs: number;
  /** A video: from its creation until an upstream accepts it. */
  queueMs: number;
};

const VIDEO_PROCESSING_SECONDS = 20 * 60;
const IMAGE_PROCESSING_SECONDS = 5 * 60;
const QUEUE_SECONDS = 24 * 60 * 60;

export function deadlinesMs(kind: KindName, ofModel: Deadlines | undefined): DeadlinesMs {
  const processing =
    ofModel?.processingSeconds ??
    (kind === "video" ? VIDEO_PROCESSING_SECONDS : IMAGE_PROCESSING_SECONDS);
  return {
    processingMs: processing * 1000,
    queueMs: (ofModel?.queueSeconds ?? QUEUE_SECONDS) * 1000,
  };
}

/** When the row's submit began, or the row's creation if no submit is recorded. */
export function submitBegunAt(row: Pick<GenerationRow, "submittedAt" | "createdAt">): Date {
  return row.submittedAt ?? row.createdAt;
}

/** When a task that no upstream has accepted fails. */
export function queueDeadline(
  row: Pick<GenerationRow, "kind" | "createdAt">,
  deadlines: DeadlinesMs,
): Date {
  return addMs(row.createdAt, row.kind === "video" ? deadlines.queueMs : deadlines.processingMs);
}

/** When a task that an upstream accepted, or may have accepted, at `acceptedAt` fails if it has not ended. */
export function processingDeadline(
  row: Pick<GenerationRow, "kind" | "createdAt">,
  deadlines: DeadlinesMs,
  acceptedAt: Date,
): Date {
  return addMs(row.kind === "video" ? acceptedAt : row.createdAt, deadlines.processingMs);
}
