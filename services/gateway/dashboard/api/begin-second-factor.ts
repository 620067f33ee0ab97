/** beginSecondFactor: POST /auth/second-factor. */
import { Problem } from "../../problem.ts";
import { checkPassword } from "../password-check.ts";
import { userOf } from "../request-state.ts";
import { cookieOf } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const beginSecondFactor: DashboardOperation = (deps) => async (request) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await checkPassword(deps, request, password);
  if (userOf(request).hasSecondFactor) throw new Problem("second_factor_exists");
  const { api } = await deps.auth();
  const begun = await api.enableTwoFactor({ body: { password }, headers: cookieOf(request) });
  if (begun.method !== "totp") throw new Error("the second factor is no authenticator app");
  return {
    uri: begun.totpURI,
    recovery_codes: begun.backupCodes,
  } satisfies Schemas["NewSecondFactor"];
};
