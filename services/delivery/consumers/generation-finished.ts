/** Consumes `generation.v1.finished`: accepts the end of each generation. */
import type { GenerationFinished } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Outcome } from "#runtime/events/handle-message.ts";
import type { Deps } from "../deps.ts";
import { generationEndOf } from "../domain/event.ts";
import { acceptEnd } from "../webhook/accept-end.ts";

export const CONSUMER = "delivery_generation_finished";

const RETRY_AFTER_MS = 2_000;

/** Handles one event; a failure is retried after 2 s. */
export function generationFinished(
  deps: Pick<
    Deps,
    "sql" | "clock" | "newId" | "log" | "generation" | "assetBaseUrl" | "wakeSender"
  >,
): (event: GenerationFinished) => Promise<Outcome> {
  return async (event) => {
    const end = generationEndOf(event);
    if (!end) return { kind: "drop", reason: "the event has no finished generation" };
    try {
      await acceptEnd(deps, end);
      return { kind: "done" };
    } catch (error) {
      deps.log.warn(
        { err: error, generation_id: end.generation.id },
        "end of generation not accepted, retrying",
      );
      return { kind: "retry", afterMs: RETRY_AFTER_MS };
    }
  };
}
