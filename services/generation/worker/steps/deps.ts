/** What the worker and its steps depend on. */
import type { Client } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { CompletionWaiters } from "#runtime/completion-waiters.ts";
import type { Bus } from "#runtime/events/bus.ts";
import type { Tracer } from "#runtime/tracing/tracer.ts";
import type { Catalog } from "../../catalog/catalog.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import type { FindGeneration } from "../../store/find-generation.ts";
import type { Writes } from "../../store/writes.ts";
import type { Upstreams } from "../../upstreams/upstreams.ts";
import type { Pictures } from "../pictures/pictures.ts";
import type { SlotDeps } from "../slots/slots.ts";
import type { Durations } from "./durations.ts";

export type Deps = SlotDeps & {
  bus: Bus;
  /** Returns 0 to 1, for jitter. */
  random: () => number;
  billing: Client<typeof BillingService>;
  delivery: Client<typeof DeliveryService>;
  catalog: Catalog;
  upstreams: Upstreams;
  durations: Durations;
  pictures: Pictures;
  find: FindGeneration;
  writes: Writes;
  metrics: Metrics;
  /** Tells that this process has taken tasks. */
  noteTaken: () => void;
  tracer: Tracer;
  /** Wakes the calls of this process that wait for a generation to end. */
  completions: CompletionWaiters;
  /** Makes this process's worker claim due rows now. */
  wake: () => void;
  /** Aborts when a stop of this process gives up what is in progress. */
  deadline: AbortSignal;
};
