/** Consumes `generation.v1.finished`: accepts the end of each generation that has a webhook. */
import type { GenerationFinished } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Outcome } from "#runtime/events/handle-message.ts";
import type { Log } from "#runtime/log.ts";
import { generationEndOf, namesEnd, type GenerationEnd } from "../domain/event.ts";
import { queueDelivery, type QueueDeps } from "../webhook/queue-delivery.ts";

export const CONSUMER = "delivery_generation_finished";

const RETRY_AFTER_MS = 2_000;
const READ_TIMEOUT_MS = 5_000;

type ConsumerDeps = QueueDeps & { log: Log };

/** Handles one event; a failure is retried after 2 s. */
export function generationFinished(
  deps: ConsumerDeps,
): (event: GenerationFinished) => Promise<Outcome> {
  return async (event) => {
    if (!namesEnd(event)) return { kind: "drop", reason: "the event has no finished generation" };
    try {
      const end = await readEnd(deps, event);
      if (end) await queueDelivery(deps, end);
      return { kind: "done" };
    } catch (error) {
      deps.log.warn(
        { err: error, generation_id: event.generation?.id },
        "end of generation not accepted, retrying",
      );
      return { kind: "retry", afterMs: RETRY_AFTER_MS };
    }
  };
}

/** Undefined if no webhook is to be sent: there is none, it was accepted before, or the generation was deleted. */
async function readEnd(
  deps: ConsumerDeps,
  event: GenerationFinished,
): Promise<GenerationEnd | undefined> {
  const { accountId = "", id: generationId = "" } = event.generation ?? {};
  if (!event.hasWebhook) return undefined;
  const { generation } = await deps.generation.getEnd(
    { accountId, generationId },
    { timeoutMs: READ_TIMEOUT_MS },
  );
  return generation && generationEndOf({ ...event, generation });
}
