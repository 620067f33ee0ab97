/** What generation's RPCs depend on. */
import type { Client } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { Callbacks } from "../upstreams/callbacks.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { DiscountsOf } from "../catalog/discounts.ts";
import type { Upstreams } from "../upstreams/upstreams.ts";
import type { ConfiguredUpstreams } from "../upstreams/open-upstreams.ts";
import type { FindGeneration } from "../store/generations.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { Writes } from "../store/writes.ts";
import type { SignalCreated } from "./created-signal.ts";
import type { CompletionWaiters } from "#runtime/completion-waiters.ts";

export type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  billing: Client<typeof BillingService>;
  delivery: Client<typeof DeliveryService>;
  catalog: Catalog;
  discounts: DiscountsOf;
  upstreams: Upstreams;
  /** The upstreams of live mode, for operators. */
  configuredUpstreams: Pick<ConfiguredUpstreams, "all" | "missingCredentials">;
  callbacks: Callbacks;
  find: FindGeneration;
  writes: Writes;
  /** Wakes the calls of this process that wait for a generation to end. */
  completions: CompletionWaiters;
  /** Tells the workers and gateways of all processes. */
  signalCreated: SignalCreated;
  /** How long the model's videos took lately; undefined if none has been made. */
  typicalTimes: { knownMs: (mode: ModeName, model: string) => Promise<number | undefined> };
  /** Makes this process's worker claim due rows now. */
  wake: () => void;
};
