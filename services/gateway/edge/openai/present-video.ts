/** A video in OpenAI's shape. */
import type { components } from "#gen/openapi/openai.ts";
import type { PublicVideo } from "#vocabulary/public-generation.ts";

type Schemas = components["schemas"];
export type DialectVideo = Schemas["OpenaiVideo"];

/** Clients know these only, and some wait for ever on another. */
const STATUSES = {
  pending: "queued",
  processing: "in_progress",
  success: "completed",
  failed: "failed",
  canceled: "failed",
} as const satisfies Record<PublicVideo["status"], DialectVideo["status"]>;

export function presentVideo(video: PublicVideo, size: string): DialectVideo {
  const { id, model, status, progress, input, completed_at: endedAt } = video;
  const isCompleted = status === "success" && endedAt !== undefined;
  return {
    id,
    object: "video",
    model,
    status: STATUSES[status],
    progress,
    created_at: unixSeconds(video.created_at),
    completed_at: isCompleted ? unixSeconds(endedAt) : null,
    expires_at: null,
    prompt: input.prompt,
    seconds: String(input.duration),
    size,
    error: errorOf(video),
    remixed_from_video_id: null,
  };
}

export function unixSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000);
}

function errorOf({ status, error }: PublicVideo): DialectVideo["error"] {
  if (status === "canceled") return { code: "canceled", message: "The video was canceled." };
  return error ? { code: error.code, message: error.message } : null;
}
