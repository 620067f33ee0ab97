/** The metrics of services, in registries that nobody scrapes. */
import { Registry } from "prom-client";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { createMetrics as createBillingMetrics } from "../../services/billing/rpc/deps.ts";
import { createMetrics as createDeliveryMetrics } from "../../services/delivery/metrics/metrics.ts";

export const billingMetrics = () => createBillingMetrics(new Registry());
/** What delivery's parts are observed with. */
export const unobserved = () => ({
  metrics: createDeliveryMetrics(new Registry()),
  tracer: NO_TRACER,
});
