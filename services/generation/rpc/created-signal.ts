/** Tells other processes of created generations while this one's worker is full. */
import { create } from "@bufbuild/protobuf";
import { GenerationCreatedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { generationCreated } from "#runtime/events/events.ts";
import type { GenerationRow } from "../domain/generation.ts";

export type SignalCreated = (row: Pick<GenerationRow, "accountId" | "id">) => void;

/** If this process's worker is full, the others are told, once for each turn of the event loop. */
export function createdSignal(
  bus: Pick<Bus, "publish" | "listen">,
  worker: () => { wake: () => void; isFull: () => boolean },
): SignalCreated {
  let last: { accountId: string; generationId: string } | undefined;
  const publish = () => {
    bus.publish(generationCreated, create(GenerationCreatedSchema, last));
    last = undefined;
  };
  bus.listen(generationCreated, () => worker().wake());
  return ({ accountId, id }) => {
    const { wake, isFull } = worker();
    wake();
    if (!isFull()) return;
    if (last === undefined) setImmediate(publish);
    last = { accountId, generationId: id };
  };
}
