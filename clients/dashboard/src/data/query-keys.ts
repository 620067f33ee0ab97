/** The query cache's keys. Keys with the same beginning are invalidated together. */
import type { Mode } from "../api/client.ts";

type KeyPrefix = readonly [accountId: string, mode: Mode];

export const queryKeys = {
  sessions: ["sessions"] as const,
  passkeys: ["passkeys"] as const,
  balances: (accountId: string) => [accountId, "balances"] as const,
  apiKeys: (accountId: string) => [accountId, "api-keys"] as const,
  limits: (accountId: string) => [accountId, "limits"] as const,
  members: (accountId: string) => [accountId, "members"] as const,
  invitations: (accountId: string) => [accountId, "invitations"] as const,
  requests: (accountId: string) => [accountId, "requests"] as const,
  auditLog: (accountId: string) => [accountId, "audit-log"] as const,
  models: (keyPrefix: KeyPrefix) => [...keyPrefix, "models"] as const,
  usage: (keyPrefix: KeyPrefix) => [...keyPrefix, "usage"] as const,
  generations: (keyPrefix: KeyPrefix) => [...keyPrefix, "generations"] as const,
  file: (keyPrefix: KeyPrefix, id: string) => [...keyPrefix, "file", id] as const,
  generation: (keyPrefix: KeyPrefix, id: string) => [...keyPrefix, "generation", id] as const,
  /** Transactions and statements. */
  money: (keyPrefix: KeyPrefix) => [...keyPrefix, "money"] as const,
  requestLog: (keyPrefix: KeyPrefix) => [...keyPrefix, "request-log"] as const,
  deliveries: (keyPrefix: KeyPrefix) => [...keyPrefix, "deliveries"] as const,
  webhookSecret: (keyPrefix: KeyPrefix) => [...keyPrefix, "webhook-secret"] as const,
  disabledUrls: (keyPrefix: KeyPrefix) => [...keyPrefix, "disabled-urls"] as const,
};
