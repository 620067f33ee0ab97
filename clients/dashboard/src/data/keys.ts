/** The names under which answers are kept; what begins alike is asked for again together. */
import type { Mode } from "../api/client.ts";

type Scope = readonly [accountId: string, mode: Mode];

export const keys = {
  balances: (accountId: string) => [accountId, "balances"] as const,
  apiKeys: (accountId: string) => [accountId, "api-keys"] as const,
  members: (accountId: string) => [accountId, "members"] as const,
  invitations: (accountId: string) => [accountId, "invitations"] as const,
  models: (scope: Scope) => [...scope, "models"] as const,
  usage: (scope: Scope) => [...scope, "usage"] as const,
  generations: (scope: Scope) => [...scope, "generations"] as const,
  generation: (scope: Scope, id: string) => [...scope, "generation", id] as const,
  /** Transactions and statements. */
  money: (scope: Scope) => [...scope, "money"] as const,
  deliveries: (scope: Scope) => [...scope, "deliveries"] as const,
  webhookSecret: (scope: Scope) => [...scope, "webhook-secret"] as const,
  disabledUrls: (scope: Scope) => [...scope, "disabled-urls"] as const,
};
