/** Hears that generations have ended, and takes their ends over. */
import type { GenerationFinished } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Outcome } from "#runtime/events/bus.ts";
import type { Deps } from "../deps.ts";
import { endOf } from "../domain/event.ts";
import { takeOver } from "../webhook/accept-end.ts";

export const CONSUMER = "delivery_generation_finished";

const RETRY_AFTER_MS = 2_000;

/** The handler of one event. */
export function generationFinished(
  deps: Pick<
    Deps,
    "sql" | "clock" | "newId" | "log" | "generation" | "assetBaseUrl" | "ringSender"
  >,
): (event: GenerationFinished) => Promise<Outcome> {
  return async (event) => {
    const end = endOf(event);
    if (!end) return { kind: "drop", reason: "it tells of no generation that has ended" };
    try {
      await takeOver(deps, end);
      return { kind: "done" };
    } catch (error) {
      deps.log.warn({ err: error, generation_id: end.generation.id }, "end not taken over yet");
      return { kind: "retry", afterMs: RETRY_AFTER_MS };
    }
  };
}
