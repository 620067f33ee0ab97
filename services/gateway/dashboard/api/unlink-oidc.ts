/** unlinkOidc: DELETE /auth/oidc/link. */
import { Problem } from "../../problem.ts";
import { deleteLogin, hasPassword } from "../../store/user-logins.ts";
import { lockUser } from "../../store/users.ts";
import { OIDC_PROVIDER } from "../oidc.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const unlinkOidc: DashboardOperation = (deps) => async (request, reply) => {
  const { id } = userOf(request);
  await deps.sql.begin(async (transaction) => {
    await lockUser(transaction, id);
    if (!(await hasPassword(transaction, id))) throw new Problem("last_login");
    await deleteLogin(transaction, id, OIDC_PROVIDER);
  });
  return reply.code(204).send();
};
