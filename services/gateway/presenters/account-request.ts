/** Presents what a user asked operators for, and the answer. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { AccountRequestRow } from "../store/account-requests.ts";

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
