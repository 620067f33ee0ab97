/** The events of webhooks: their types, and the exact bytes of their bodies. */
import type { Alert } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { Status, type Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { EVENT_EXAMPLES } from "#gen/openapi/event-examples.ts";
import type { components } from "#gen/openapi/media.ts";
import { kindName, kindOfId, type ModeName } from "#vocabulary/names.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { publicTime, publicTokenLimit } from "#vocabulary/public-values.ts";

/** The body is UTF-8 JSON. It is made once and stored, so that every attempt sends the same bytes. */
export type WebhookEvent = { type: string; body: Buffer };

function eventOf(event: { type: string; timestamp: string; data: object }): WebhookEvent {
  return { type: event.type, body: Buffer.from(JSON.stringify(event)) };
}

const ENDS: Partial<Record<Status, string>> = {
  [Status.SUCCESS]: "completed",
  [Status.FAILED]: "failed",
  [Status.CANCELED]: "canceled",
};

/** The event of a generation's end; undefined if it has not ended. Refuses one without what its webhook shows. */
export function endEvent(generation: Generation, assetBaseUrl: string): WebhookEvent | undefined {
  const { id, accountId, mode, status, completedAt } = generation;
  const end = ENDS[status];
  if (!end || !id || !accountId || !mode || !completedAt) return undefined;
  const type = `${kindName(kindOfId(id))}.generation.${end}`;
  const data = publicGeneration(generation, assetBaseUrl);
  return eventOf({ type, timestamp: publicTime(completedAt), data });
}

/**
 * A test event: the example of its type in the documentation; undefined if there is no such type. It is of the mode that its
 * secret is of, and without metadata, by which a receiver could take it for one of its own orders.
 */
export function testEvent(type: string, mode: ModeName, at: Date): WebhookEvent | undefined {
  const example = Object.hasOwn(EVENT_EXAMPLES, type) ? EVENT_EXAMPLES[type] : undefined;
  if (!example) return undefined;
  const { input } = example;
  const data = {
    ...example,
    ...("mode" in example ? { mode } : {}),
    ...(typeof input === "object" ? { input: { ...input, metadata: {} } } : {}),
  };
  return eventOf({ type, timestamp: at.toISOString(), data });
}

type Schemas = components["schemas"];

/** Undefined if a required field is missing. The same alert always has the same bytes. */
export function alertEvent({ at, what }: Alert): WebhookEvent | undefined {
  if (!at) return undefined;
  const timestamp = publicTime(at);
  if (what.case === "lowBalance" && what.value.balance) {
    const { balance, threshold } = what.value;
    const available = Number(balance.available);
    const data = { available, reserved: Number(balance.reserved), threshold: Number(threshold) };
    const event: Schemas["BalanceLowEvent"] = { type: "balance.low", timestamp, data };
    return eventOf(event);
  }
  if (what.case === "reachedLimit" && what.value.limit) {
    const data = { percent: what.value.percent, limit: publicTokenLimit(what.value.limit) };
    const event: Schemas["LimitReachedEvent"] = { type: "limit.reached", timestamp, data };
    return eventOf(event);
  }
  return undefined;
}
