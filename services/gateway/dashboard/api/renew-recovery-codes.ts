/** renewRecoveryCodes: POST /auth/second-factor/recovery-codes. */
import { Problem } from "../../problem.ts";
import { checkPassword } from "../password-check.ts";
import { userOf } from "../request-state.ts";
import { cookieOf } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const renewRecoveryCodes: DashboardOperation = (deps) => async (request) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await checkPassword(deps, request, password);
  if (!userOf(request).hasSecondFactor) throw new Problem("no_second_factor");
  const { api } = await deps.auth();
  const { backupCodes } = await api.generateBackupCodes({
    body: { password },
    headers: cookieOf(request),
  });
  return { recovery_codes: backupCodes } satisfies Schemas["RecoveryCodes"];
};
