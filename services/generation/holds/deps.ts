/** What holds depend on, and what generation's RPCs and its worker have in common. */
import type { Client } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { CompletionWaiters } from "#runtime/completion-waiters.ts";
import type { Base } from "#runtime/service/service.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { TypicalTimes } from "../catalog/typical-times.ts";
import type { Finds } from "../store/generations.ts";
import type { RowServer } from "../store/row-server.ts";
import type { Writes } from "../store/writes.ts";
import type { Upstreams } from "../upstreams/upstreams.ts";

export type HoldsDeps = Pick<Base, "sql" | "clock" | "log"> & {
  billing: Client<typeof BillingService>;
  delivery: Client<typeof DeliveryService>;
};

export type CommonDeps = HoldsDeps &
  Finds & {
    catalog: Catalog;
    typicalTimes: TypicalTimes;
    upstreams: Upstreams;
    writes: Writes;
    rowServer: RowServer;
    /** Wakes the calls of this process that wait for a generation to end. */
    completions: CompletionWaiters;
    /** Makes this process's worker claim due rows now. */
    wake: () => void;
  };
