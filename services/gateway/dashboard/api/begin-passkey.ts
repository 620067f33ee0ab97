/** beginPasskey: POST /auth/passkeys/options. */
import { checkPassword } from "../password-check.ts";
import { cookieOf, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const beginPasskey: DashboardOperation = (deps) => async (request, reply) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await checkPassword(deps, request, password);
  const { api } = await deps.auth();
  const { headers, response } = await api.generatePasskeyRegistrationOptions({
    headers: cookieOf(request),
    returnHeaders: true,
  });
  setCookies(reply, headers);
  return { options: { ...response } } satisfies Schemas["PasskeyOptions"];
};
