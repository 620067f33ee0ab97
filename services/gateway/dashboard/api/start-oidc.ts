/** startOidc: POST /auth/oidc. */
import { Problem } from "../../problem.ts";
import { OIDC_PROVIDER } from "../oidc.ts";
import { cookieOf, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const startOidc: DashboardOperation = (deps) => async (request, reply) => {
  if (deps.oidcName === undefined) throw new Problem("route_not_found");
  await deps.signInAttempts.countAddress(request.ip);
  const home = `${deps.publicUrl()}/dashboard`;
  const { api } = await deps.providerAuth();
  const response = await api.signInSocial({
    body: { provider: OIDC_PROVIDER, callbackURL: home, errorCallbackURL: `${home}/sign-in` },
    headers: cookieOf(request),
    returnHeaders: true,
  });
  setCookies(reply, response.headers);
  return { url: response.response.url ?? "" } satisfies Schemas["Redirect"];
};
