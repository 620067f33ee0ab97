/** Issues an API key: returns the secret to the requester and stores only its hash. */
import type { Client } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { hashApiKey, keyPrefix } from "../domain/api-key.ts";
import { permissionDetails, type KeyPermissions } from "../domain/key-permissions.ts";
import { insertKeyIfAllowed } from "../store/api-keys.ts";
import type { RecordChange } from "./recorder.ts";

export type KeyRequest = {
  accountId: string;
  mode: ModeName;
  name: string;
  expiresAt?: Date | undefined;
  permissions: KeyPermissions;
  /** How many Tokens a live key may use; undefined for no limit. */
  limits: { day?: bigint | undefined; month?: bigint | undefined };
  /** A user's id, or "operator". */
  createdBy: string;
};

export type IssuedKey = KeyRequest & {
  id: string;
  prefix: string;
  lastFour: string;
  at: Date;
  /** The whole key. It is not stored and cannot be shown again. */
  secret: string;
};

export type IssueDeps = {
  sql: Db;
  clock: Clock;
  newId: NewId;
  newApiKey: (mode: ModeName) => string;
  billing: Pick<Client<typeof BillingService>, "setTokenLimits">;
};

/** Without limits no key is made. Undefined if there is no such account, or live mode is not granted to it. */
export async function issueKey(
  deps: IssueDeps,
  request: KeyRequest,
  record: RecordChange,
): Promise<IssuedKey | undefined> {
  const { accountId, mode, name, permissions } = request;
  const { day, month } = request.limits;
  const secret = deps.newApiKey(mode);
  const key = {
    ...request,
    id: deps.newId("key"),
    prefix: keyPrefix(mode),
    lastFour: secret.slice(-4),
    at: deps.clock.now(),
    expiresAt: request.expiresAt,
  };
  const row = await insertKeyIfAllowed(deps.sql, { ...key, hash: hashApiKey(secret) });
  if (!row) return undefined;
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
    await deps.billing.setTokenLimits({
      accountId,
      keyId: key.id,
      dayTokens: day,
      monthTokens: month,
    });
  }
  return { ...key, secret };
}
