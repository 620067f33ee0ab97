/** What a webhook tells of a generation's end: its type, and the exact bytes of its body. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GenerationFinished } from "#gen/proto/media/events/v1/events_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { publicGeneration } from "#runtime/public-generation.ts";

type EventType =
  | "video.generation.completed"
  | "video.generation.failed"
  | "video.generation.canceled";

/** A generation's end that is whole: nothing that its webhook needs is missing. */
export type End = { eventId: string; generation: Generation; type: EventType; completedAt: Date };

/** The end that the event tells of, or undefined where it tells of none. */
export function endOf({ eventId, generation }: GenerationFinished): End | undefined {
  const type = typeOf(generation?.status);
  if (!generation?.completedAt || !type) return undefined;
  if (!eventId || !generation.accountId || !generation.id) return undefined;
  return { eventId, generation, type, completedAt: timestampDate(generation.completedAt) };
}

/** Where the account wants to be told of this end, if anywhere. */
export function webhookUrlOf({ generation }: End): string | undefined {
  return generation.input.case === "video" ? generation.input.value.webhookUrl : undefined;
}

/** UTF-8 JSON; made once and kept, so that every attempt sends the same bytes. */
export function webhookBody({ type, completedAt, generation }: End, assetBaseUrl: string): Buffer {
  const data = publicGeneration(generation, assetBaseUrl);
  return Buffer.from(JSON.stringify({ type, timestamp: completedAt.toISOString(), data }));
}

/** The body of an event that tells of nothing: for trying a receiver. */
export function testEventBody(type: string, at: Date): Buffer {
  return Buffer.from(JSON.stringify({ type, timestamp: at.toISOString(), data: {} }));
}

function typeOf(status: Status | undefined): EventType | undefined {
  switch (status) {
    case Status.SUCCESS:
      return "video.generation.completed";
    case Status.FAILED:
      return "video.generation.failed";
    case Status.CANCELED:
      return "video.generation.canceled";
    default:
      return undefined;
  }
}
