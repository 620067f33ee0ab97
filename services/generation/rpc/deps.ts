/** What generation's RPCs depend on, and the signal that a generation was created. */
import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { GenerationCreatedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Bus } from "#runtime/events/bus.ts";
import { generationCreated } from "#runtime/events/events.ts";
import type { DiscountsOf } from "../catalog/discounts.ts";
import type { Callbacks } from "../domain/callback.ts";
import type { GenerationRow } from "../domain/generation.ts";
import type { CommonDeps } from "../holds/deps.ts";
import type { ConfiguredUpstreams } from "../upstreams/open-upstreams.ts";

export type Rpcs = Partial<ServiceImpl<typeof GenerationService>>;

export type Deps = CommonDeps & {
  discounts: DiscountsOf;
  /** The upstreams of live mode, for operators. */
  configuredUpstreams: Pick<ConfiguredUpstreams, "all" | "missingCredentials">;
  callbacks: Callbacks;
  /** Wakes this process's worker, or tells those of other processes if it is full. */
  signalCreated: SignalCreated;
};

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
