/** Webhook deliveries: their row types, their ids, and the message that RPCs return. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DeliverySchema, type Delivery } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { deliveryStatusOf, type DeliveryStatusName, type ModeName } from "#vocabulary/names.ts";

export type DeliveryRow = {
  id: string;
  eventId: string;
  type: string;
  generationId: string | null;
  url: string;
  status: DeliveryStatusName;
  nextAttemptAt: Date | null;
  createdAt: Date;
  /** Oldest first. */
  attempts: AttemptRow[];
};

/** One attempt as Postgres returns it in JSON: `at` is RFC 3339. */
export type AttemptRow = {
  at: string;
  statusCode: number | null;
  error: string | null;
  durationMs: number;
  responseBody: string | null;
};

/** A delivery that one sender alone may attempt until its lease ends. */
export type ClaimedDelivery = {
  accountId: string;
  id: string;
  mode: ModeName;
  eventId: string;
  url: string;
  host: string;
  body: Buffer;
  /** Attempts made before this one. */
  attemptCount: number;
  /** The account asked for this attempt; if it fails, no other follows. */
  redelivered: boolean;
  /** The account asked for this attempt while the schedule goes on: when the next one of the schedule is due. */
  resumeAt: Date | null;
  /** Also the number of the attempt. */
  fence: bigint;
  /** The request that the webhook is the answer to, and its trace. */
  requestId: string | null;
  traceparent: string | null;
};

export function toDelivery(row: DeliveryRow): Delivery {
  return create(DeliverySchema, {
    id: row.id,
    eventId: row.eventId,
    type: row.type,
    generationId: row.generationId ?? undefined,
    url: row.url,
    status: deliveryStatusOf(row.status),
    attempts: row.attempts.map((attempt) => ({
      at: timestampFromDate(new Date(attempt.at)),
      statusCode: attempt.statusCode ?? undefined,
      error: attempt.error ?? undefined,
      durationMs: attempt.durationMs,
      responseBody: attempt.responseBody ?? undefined,
    })),
    nextAttemptAt: row.nextAttemptAt ? timestampFromDate(row.nextAttemptAt) : undefined,
    createdAt: timestampFromDate(row.createdAt),
  });
}
