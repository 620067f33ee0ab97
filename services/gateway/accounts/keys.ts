/** Issues API keys, finds the account of one, and collects when each was last used. */
import type { Client } from "@connectrpc/connect";
import { LRUCache } from "lru-cache";
import { LimitPeriod, type BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { Base } from "#runtime/service/service.ts";
import type { Editor } from "./recorder.ts";
import { hashApiKey, keyPrefix, newApiKey } from "../domain/api-key.ts";
import { permissionDetails, type KeyPermissions } from "../domain/key-permissions.ts";
import * as store from "../store/store.ts";

export type KeyRequest = Pick<store.NewKey, "mode" | "name" | "createdBy"> & {
  permissions: KeyPermissions;
  expiresAt?: Date | undefined;
  /** How many Tokens a live key may use; undefined for no limit. */
  limits: { day?: bigint | undefined; month?: bigint | undefined };
};

type IssueDeps = Pick<Base, "clock" | "newId"> & { billing: Client<typeof BillingService> };

/**
 * The new key with its `secret`, which is not stored and cannot be shown again. Without limits no key is made. Undefined if
 * there is no such account, or live mode is not granted to it.
 */
export async function issueKey(deps: IssueDeps, editor: Editor, request: KeyRequest) {
  const { sql, accountId, record } = editor;
  const { mode, name, permissions, limits, expiresAt = null, createdBy } = request;
  const { day, month } = limits;
  const account = await store.findAccount(sql, accountId);
  if (!account || (mode === "live" && !account.productionGranted)) return undefined;
  const secret = newApiKey(mode);
  const key = await store.insertKey(sql, {
    accountId,
    mode,
    name,
    expiresAt,
    createdBy,
    ...permissions,
    id: deps.newId("key"),
    hash: Buffer.from(hashApiKey(secret), "hex"),
    prefix: keyPrefix(mode),
    lastFour: secret.slice(-4),
    createdAt: deps.clock.now(),
  });
  const { access, ...narrowed } = permissionDetails(permissions);
  await record({
    action: "key.create",
    target: key.id,
    mode,
    details: {
      name,
      ...(access === "full" ? {} : { access }),
      ...narrowed,
      day: day?.toString(),
      month: month?.toString(),
    },
  });
  if (day !== undefined || month !== undefined) {
    const tokens = { dayTokens: day, monthTokens: month };
    await deps.billing.setTokenLimits({ accountId, keyId: key.id, ...tokens });
  }
  return { ...key, secret };
}

/** What limits the Tokens of each key of an account, by the key's id. */
export async function limitsOfKeys({ billing }: Pick<IssueDeps, "billing">, accountId: string) {
  const { limits } = await billing.getTokenLimits({ accountId });
  return (id: string): KeyRequest["limits"] => {
    const of = (period: LimitPeriod) =>
      limits.find((limit) => limit.keyId === id && limit.period === period)?.tokens;
    return { day: of(LimitPeriod.DAY), month: of(LimitPeriod.MONTH) };
  };
}

/** Revokes a key, with an entry; one that is revoked stays as it is. Undefined if the account has no such key. */
export async function revokeKey(at: Date, { sql, accountId, record }: Editor, id: string) {
  const revoked = await store.updateKeyIfActive(sql, accountId, id, { revokedAt: at });
  if (!revoked) return store.findAccountKey(sql, accountId, id);
  const { mode, name } = revoked;
  await record({ action: "key.revoke", target: id, mode, details: { name } });
  return revoked;
}

/** Less than a second. */
const TRUST_MS = 999;
/** With more in use within a second, some are looked up sooner. */
const MAX_KNOWN = 10_000;
const MAX_BATCH = 10_000;
const MAX_QUEUE = 100_000;

/** The key with this hash (hex); undefined when there is none. Rejects when Postgres is unavailable. */
export type FindKey = (hash: string) => Promise<store.KnownKeyRow | undefined>;

type KeyCacheDeps = {
  clock: Clock;
  findKeys: (hashes: readonly string[]) => Promise<store.KnownKeyRow[]>;
};

/** Trusts a key for less than a second. Keys that are asked for at the same time are looked up together. */
export function keyCache({ clock, findKeys }: KeyCacheDeps): FindKey {
  const known = new LRUCache<string, store.KnownKeyRow>({
    max: MAX_KNOWN,
    ttl: TRUST_MS,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() },
  });
  const lookUp = batchByKey<string, { key: store.KnownKeyRow | undefined }>({
    maxBatch: MAX_BATCH,
    queue: {
      max: MAX_QUEUE,
      full: () => new Error("too many requests are waiting for API key lookups"),
    },
    failsTogether: true,
    run: async (_all, hashes) => {
      // Taken before the query, so that a change during it is not trusted for longer than a second.
      const atMs = clock.monotonicMs();
      const rows = await findKeys([...new Set(hashes)]);
      const found = new Map(rows.map((key) => [key.hash, key]));
      for (const [hash, key] of found) known.set(hash, key, { start: atMs });
      return hashes.map((hash) => ({ key: found.get(hash) }));
    },
  });
  return async (hash) => known.get(hash) ?? (await lookUp("", hash)).key;
}

export type KeyUses = ReturnType<typeof keyUses>;

export function keyUses({ sql, clock }: { sql: Sql; clock: Clock }) {
  let pending = new Map<string, store.KeyUse>();
  return {
    record: ({ accountId, id }: Pick<store.KnownKeyRow, "accountId" | "id">) =>
      void pending.set(id, { accountId, id, usedAt: clock.now() }),
    /** Writes the last use of each key since the flush before. */
    async flush() {
      const uses = [...pending.values()];
      pending = new Map();
      if (uses.length > 0) await store.recordKeyUses(sql, uses);
    },
  };
}
