/** AuditAccount: checks whether the ledger of an account adds up. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { auditAccount as audit } from "../store/audits.ts";

export function auditAccount(deps: Deps): ServiceImpl<typeof BillingService>["auditAccount"] {
  return ({ accountId, mode }) => audit(deps.sql, accountId, modeName(mode));
}
