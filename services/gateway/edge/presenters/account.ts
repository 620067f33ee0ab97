/** Presents accounts and what belongs to them: members, invitations, keys, requests, limits, the audit log. */
import type { components } from "#gen/openapi/dashboard.ts";
import { publicPermissions } from "../../domain/key-permissions.ts";
import {
  type CreatorColumns,
  type MemberRow,
  type MembershipRow,
  OPERATOR,
} from "../../store/memberships.ts";
import type { InvitationRow } from "../../store/invitations.ts";
import type { AccountKeyRow } from "../../store/api-keys.ts";
import type { AccountRequestRow } from "../../store/accounts.ts";
import type {
  AlertSettings,
  GetTokenLimitsResponse,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { publicTokenLimit } from "#vocabulary/public-values.ts";
import { required } from "./page.ts";
import type { AuditRow } from "../../store/audit-log.ts";

export function presentCreator({
  createdBy,
  creatorName,
}: CreatorColumns): components["schemas"]["Creator"] {
  if (createdBy === OPERATOR) return { type: "operator" };
  const name = creatorName === null ? {} : { name: creatorName };
  return { type: "user", user_id: createdBy, ...name };
}

export function presentAccount(row: MembershipRow): components["schemas"]["Account"] {
  return {
    id: row.accountId,
    object: "account",
    name: row.name,
    role: row.role,
    production_granted: row.productionGranted,
    suspended: row.suspendedAt !== null,
    ...(row.confirmAboveTokens === null ? {} : { confirm_above_tokens: row.confirmAboveTokens }),
    created_at: row.createdAt.toISOString(),
  };
}

export function presentMember(row: MemberRow): components["schemas"]["Member"] {
  return {
    user_id: row.userId,
    object: "member",
    name: row.name,
    email: row.email,
    role: row.role,
    joined_at: row.joinedAt.toISOString(),
  };
}

export function presentInvitation(row: InvitationRow): components["schemas"]["Invitation"] {
  return {
    id: row.id,
    object: "invitation",
    email: row.email,
    role: row.role,
    created_by: presentCreator(row),
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  };
}

export function presentApiKey(row: AccountKeyRow): components["schemas"]["ApiKey"] {
  const { lastUsedAt: lastUsed, expiresAt: expires, revokedAt: revoked } = row;
  return {
    id: row.id,
    object: "api_key",
    name: row.name,
    mode: row.mode,
    prefix: row.prefix,
    last_four: row.lastFour,
    permissions: publicPermissions(row),
    created_by: presentCreator(row),
    created_at: row.createdAt.toISOString(),
    ...(lastUsed === null ? {} : { last_used_at: lastUsed.toISOString() }),
    ...(expires === null ? {} : { expires_at: expires.toISOString() }),
    ...(revoked === null ? {} : { revoked_at: revoked.toISOString() }),
  };
}

/** Presents what a user asked operators for, and the answer. */
export function presentAccountRequest(
  row: AccountRequestRow,
): components["schemas"]["AccountRequest"] {
  return {
    id: row.id,
    kind: row.kind,
    ...(row.tokens === null ? {} : { tokens: Number(row.tokens) }),
    message: row.message,
    email: row.email,
    created_at: row.createdAt.toISOString(),
    status: row.decision ?? "waiting",
    answer: row.answer,
  };
}

type Schemas = components["schemas"];

export function presentAccountLimits({
  limits,
  alerts,
}: GetTokenLimitsResponse): Schemas["AccountLimits"] {
  return {
    object: "account_limits",
    limits: limits.map(publicTokenLimit),
    alerts: presentAlerts(required(alerts)),
  };
}

function presentAlerts(settings: AlertSettings): Schemas["AlertSettings"] {
  const { lowBalance, limitPercents, webhookUrl, mail } = settings;
  return {
    ...(lowBalance === undefined ? {} : { low_balance: Number(lowBalance) }),
    limit_percents: limitPercents,
    ...(webhookUrl === "" ? {} : { webhook_url: webhookUrl }),
    mail,
  };
}

export function presentAuditEntry(row: AuditRow): components["schemas"]["AuditEntry"] {
  const { actor: type, userId, email, target, mode, address, details, error } = row;
  const user = userId === null || email === null ? {} : { user_id: userId, email };
  return {
    id: row.id,
    object: "audit_entry",
    created_at: row.at.toISOString(),
    actor: { type, ...user },
    action: row.action,
    ...(target === null ? {} : { target }),
    ...(mode === null ? {} : { mode }),
    ...(address === null ? {} : { address }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
    ...(error === null ? {} : { error }),
  };
}
