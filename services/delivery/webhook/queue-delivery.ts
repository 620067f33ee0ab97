/** Queues the webhook of a generation's end: commits its delivery, then confirms to generation. */
import type { Client } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { modeName } from "#vocabulary/mode.ts";
import { keptContext } from "#runtime/work-context.ts";
import { webhookBody, webhookUrlOf, type GenerationEnd } from "../domain/event.ts";
import { insertDelivery } from "../store/webhook-deliveries.ts";

const CONFIRM_TIMEOUT_MS = 5_000;

export type QueueDeps = {
  sql: Sql;
  clock: Clock;
  newId: NewId;
  generation: Client<typeof GenerationService>;
  /** URLs in the bodies of webhooks are this, a slash and a storage key. */
  assetBaseUrl: string;
  /** Makes the sender claim due deliveries now instead of at its next poll. */
  wakeSender: () => void;
};

/** Idempotent by event id. Rejects if the commit or the confirmation fails; the caller then tries again. */
export async function queueDelivery(deps: QueueDeps, end: GenerationEnd): Promise<void> {
  const { generation } = end;
  const url = webhookUrlOf(end);
  if (url !== undefined) {
    await insertDelivery(deps.sql, {
      accountId: generation.accountId,
      id: deps.newId("whd"),
      mode: modeName(generation.mode),
      eventId: end.eventId,
      type: end.type,
      generationId: generation.id,
      url,
      host: URL.parse(url)?.host ?? "",
      body: webhookBody(end, deps.assetBaseUrl),
      at: deps.clock.now(),
      ...keptContext(),
    });
    deps.wakeSender();
  }
  await deps.generation.confirmAccepted(
    { accountId: generation.accountId, generationId: generation.id },
    { timeoutMs: CONFIRM_TIMEOUT_MS },
  );
}
