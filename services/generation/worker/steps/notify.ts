/** Step `notify`: sends the end of a generation to delivery by RPC, because delivery did not confirm the event. */
import { create } from "@bufbuild/protobuf";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Deps } from "../../deps.ts";
import { finishedEvent } from "../../domain/generation.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { confirmHandoverIfWaiting } from "../../store/generations.ts";

export async function notify(deps: Deps, row: GenerationRow): Promise<undefined> {
  const finished = create(GenerationFinishedSchema, finishedEvent(row));
  await deps.delivery.handOver({ finished });
  await confirmHandoverIfWaiting(deps.sql, row.accountId, row.id, deps.clock.now());
}
