/** removeSecondFactor: POST /auth/second-factor/remove. */
import { deleteSecondFactor } from "../../store/users.ts";
import { checkPassword } from "../password-check.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const removeSecondFactor: DashboardOperation = (deps) => async (request, reply) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await checkPassword(deps, request, password);
  const { id } = userOf(request);
  await deps.sql.begin((transaction) => deleteSecondFactor(transaction, id));
  return reply.code(204).send();
};
