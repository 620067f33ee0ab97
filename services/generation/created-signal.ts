/** Tells all processes of created generations: one event for each account and turn of the event loop. */
import { create } from "@bufbuild/protobuf";
import { GenerationCreatedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { generationCreated } from "#runtime/events/events.ts";
import type { GenerationRow } from "./domain/generation.ts";

export type SignalCreated = (row: Pick<GenerationRow, "accountId" | "id">) => void;

/** Creates that were acknowledged by one statement go on in one turn, so that a busy account costs few events. */
export function createdSignal(bus: Pick<Bus, "publish">): SignalCreated {
  const latest = new Map<string, string>();
  const publish = () => {
    for (const [accountId, generationId] of latest) {
      bus.publish(generationCreated, create(GenerationCreatedSchema, { accountId, generationId }));
    }
    latest.clear();
  };
  return ({ accountId, id }) => {
    if (latest.size === 0) setImmediate(publish);
    latest.set(accountId, id);
  };
}
