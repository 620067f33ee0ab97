/** Tells all processes of created generations: one event for each account and turn of the event loop. */
import { create } from "@bufbuild/protobuf";
import { GenerationCreatedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { generationCreated } from "#runtime/events/events.ts";
import type { GenerationRow } from "../domain/generation.ts";

export type SignalCreated = (row: Pick<GenerationRow, "accountId" | "id">) => void;

/** Own events that are not heard, because NATS is down, are forgotten then: a late one only wakes the worker. */
const MAX_OWN = 1_000;

/**
 * Creates that were acknowledged by one statement go on in one turn, so that a busy account costs few events. `onOther`
 * is called when another process tells of one; the stream brings a process its own events, too.
 */
export function createdSignal(
  bus: Pick<Bus, "publish" | "listen">,
  onOther: () => void,
): SignalCreated {
  const latest = new Map<string, string>();
  const own = new Set<string>();
  const publish = () => {
    if (own.size >= MAX_OWN) own.clear();
    for (const [accountId, generationId] of latest) {
      own.add(generationId);
      bus.publish(generationCreated, create(GenerationCreatedSchema, { accountId, generationId }));
    }
    latest.clear();
  };
  bus.listen(generationCreated, ({ generationId }) => {
    if (!own.delete(generationId)) onOther();
  });
  return ({ accountId, id }) => {
    if (latest.size === 0) setImmediate(publish);
    latest.set(accountId, id);
  };
}
