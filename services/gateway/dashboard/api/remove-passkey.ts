/** removePasskey: DELETE /auth/passkeys/{passkey_id}. */
import { isToken } from "#runtime/id.ts";
import { Problem } from "../../problem.ts";
import { deletePasskey } from "../../store/passkeys.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const removePasskey: DashboardOperation = (deps) => async (request, reply) => {
  const { passkey_id: id } = request.params as { passkey_id: string };
  const isRemoved = isToken(id) && (await deletePasskey(deps.sql, userOf(request).id, id));
  if (!isRemoved) throw new Problem("passkey_not_found");
  return reply.code(204).send();
};
