/** All guards, by service. */
import { billing } from "./billing.ts";
import { delivery } from "./delivery.ts";
import { gateway } from "./gateway.ts";
import { generation } from "./generation.ts";
import type { Mutation } from "./mutation.ts";
import { runtime } from "./runtime.ts";

export const TABLES = new Map<string, readonly Mutation[]>(
  Object.entries({ billing, delivery, generation, gateway, runtime }),
);
