/** The metrics of services, in registries that nobody scrapes. */
import { Registry } from "prom-client";
import { createMetrics as createBillingMetrics } from "../../services/billing/metrics.ts";
import { createMetrics as createDeliveryMetrics } from "../../services/delivery/metrics.ts";

export const billingMetrics = () => createBillingMetrics(new Registry());
export const deliveryMetrics = () => createDeliveryMetrics(new Registry());
