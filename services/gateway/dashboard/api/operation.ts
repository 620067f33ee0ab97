/** What every operation of the dashboard is, and the parts of its answers that several share. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { Handler } from "../../http/document-routes.ts";
import type { AccountKeyRow } from "../../store/account-keys.ts";
import type { InvitationRow } from "../../store/invitations.ts";
import type { MemberRow, MembershipRow } from "../../store/memberships.ts";
import type { DashboardDeps } from "../deps.ts";

/** Answers a request that is allowed and that the document finds nothing wrong with; refusals are thrown. */
export type DashboardOperation = (deps: DashboardDeps) => Handler;

export type Schemas = components["schemas"];

/** A list that is one page. */
export function onePage<T>(data: T[]) {
  return { object: "list", data, has_more: false } as const;
}

export function publicAccount(row: MembershipRow): Schemas["Account"] {
  return {
    id: row.account_id,
    object: "account",
    name: row.name,
    role: row.role,
    production_granted: row.production_granted,
    suspended: row.suspended_at !== null,
    created_at: row.created_at.toISOString(),
  };
}

export function publicMember(row: MemberRow): Schemas["Member"] {
  return {
    user_id: row.user_id,
    object: "member",
    name: row.name,
    email: row.email,
    role: row.role,
    joined_at: row.joined_at.toISOString(),
  };
}

export function publicInvitation(row: InvitationRow): Schemas["Invitation"] {
  return {
    id: row.id,
    object: "invitation",
    email: row.email,
    role: row.role,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}

export function publicKey(row: AccountKeyRow): Schemas["ApiKey"] {
  const { last_used_at: used, expires_at: expires, revoked_at: revoked } = row;
  return {
    id: row.id,
    object: "api_key",
    name: row.name,
    mode: row.mode,
    prefix: row.prefix,
    last_four: row.last_four,
    created_at: row.created_at.toISOString(),
    ...(used === null ? {} : { last_used_at: used.toISOString() }),
    ...(expires === null ? {} : { expires_at: expires.toISOString() }),
    ...(revoked === null ? {} : { revoked_at: revoked.toISOString() }),
  };
}
