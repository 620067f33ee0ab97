/** The webhook event of a generation's end: its type and the exact bytes of its body. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GenerationFinished } from "#gen/proto/media/events/v1/events_pb.ts";
import { Status, type Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { EVENT_EXAMPLES } from "#gen/openapi/event-examples.ts";
import { kindName, kindOfId, type KindName, type ModeName } from "#vocabulary/names.ts";
import { hasPublicForm, publicGeneration } from "#vocabulary/public-generation.ts";
import type { components } from "#gen/openapi/media.ts";
import type { Alert } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { publicTime, publicTokenLimit } from "#vocabulary/public-values.ts";

type EventType = `${KindName}.generation.${"completed" | "failed" | "canceled"}`;

/** A generation in a terminal status, with everything that its webhook needs. */
export type GenerationEnd = {
  eventId: string;
  generation: Generation;
  type: EventType;
  completedAt: Date;
};

/** Undefined if the generation has not ended or a required field is missing. */
export function generationEndOf({
  eventId,
  generation,
}: GenerationFinished): GenerationEnd | undefined {
  if (!eventId || !generation?.id || !generation.accountId) return undefined;
  const type = typeOf(generation);
  if (!type || !generation.mode || !generation.completedAt) return undefined;
  if (!hasPublicForm(generation)) return undefined;
  return { eventId, generation, type, completedAt: timestampDate(generation.completedAt) };
}

export function webhookUrlOf({ generation }: GenerationEnd): string | undefined {
  return generation.input.value?.webhookUrl;
}

/** The body as UTF-8 JSON. It is made once and stored, so that every attempt sends the same bytes. */
export function webhookBody(
  { type, completedAt, generation }: GenerationEnd,
  assetBaseUrl: string,
): Buffer {
  const data = publicGeneration(generation, assetBaseUrl);
  return Buffer.from(JSON.stringify({ type, timestamp: completedAt.toISOString(), data }));
}

/**
 * The body of a test event: the example of its type in the documentation; undefined if there is no such type. It is of the
 * mode that its secret is of, and without metadata, by which a receiver could take it for one of its own orders.
 */
export function testEventBody(type: string, mode: ModeName, at: Date): Buffer | undefined {
  const data = Object.hasOwn(EVENT_EXAMPLES, type) ? EVENT_EXAMPLES[type] : undefined;
  if (!data) return undefined;
  const { input } = data;
  const sample = {
    ...data,
    ...("mode" in data ? { mode } : {}),
    ...(typeof input === "object" ? { input: { ...input, metadata: {} } } : {}),
  };
  return Buffer.from(JSON.stringify({ type, timestamp: at.toISOString(), data: sample }));
}

function typeOf({ id, status }: Generation): EventType | undefined {
  const kind = kindName(kindOfId(id));
  switch (status) {
    case Status.SUCCESS:
      return `${kind}.generation.completed`;
    case Status.FAILED:
      return `${kind}.generation.failed`;
    case Status.CANCELED:
      return `${kind}.generation.canceled`;
    default:
      return undefined;
  }
}

type Schemas = components["schemas"];
type AlertEvent = Schemas["BalanceLowEvent"] | Schemas["LimitReachedEvent"];

export type AlertWebhook = { type: AlertEvent["type"]; body: Buffer };

/** Undefined if a required field is missing. The same alert always has the same bytes. */
export function alertWebhook(alert: Alert): AlertWebhook | undefined {
  const event = alertEvent(alert);
  return event && { type: event.type, body: Buffer.from(JSON.stringify(event)) };
}

function alertEvent({ at, what }: Alert): AlertEvent | undefined {
  if (!at) return undefined;
  const timestamp = publicTime(at);
  switch (what.case) {
    case "lowBalance": {
      const { balance, threshold } = what.value;
      if (!balance) return undefined;
      const available = Number(balance.available);
      const data = { available, reserved: Number(balance.reserved), threshold: Number(threshold) };
      return { type: "balance.low", timestamp, data };
    }
    case "reachedLimit": {
      const { limit, percent } = what.value;
      if (!limit) return undefined;
      const data = { percent, limit: publicTokenLimit(limit) };
      return { type: "limit.reached", timestamp, data };
    }
    default:
      return undefined;
  }
}
