/** listPasskeys: GET /auth/passkeys. */
import { listPasskeys as list } from "../../store/passkeys.ts";
import { presentPage } from "../../presenters/page.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MAX_PASSKEYS = 100;

export const listPasskeys: DashboardOperation = (deps) => async (request) => {
  const rows = await list(deps.sql, userOf(request).id, MAX_PASSKEYS + 1);
  const data = rows.slice(0, MAX_PASSKEYS).map(({ id, name, createdAt }) => ({
    id,
    object: "passkey" as const,
    name: name ?? "",
    created_at: createdAt.toISOString(),
  }));
  return presentPage(data, rows.length > MAX_PASSKEYS) satisfies Schemas["PasskeyList"];
};
