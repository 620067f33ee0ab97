/** beginPasskeySignIn: POST /auth/sign-in/passkey/options. */
import { cookieOf, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const beginPasskeySignIn: DashboardOperation = (deps) => async (request, reply) => {
  await deps.signInAttempts.countAddress(request.ip);
  const { api } = await deps.auth();
  const { headers, response } = await api.generatePasskeyAuthenticationOptions({
    headers: cookieOf(request),
    returnHeaders: true,
  });
  setCookies(reply, headers);
  const options = { ...response, userVerification: "required" };
  return { options } satisfies Schemas["PasskeyOptions"];
};
