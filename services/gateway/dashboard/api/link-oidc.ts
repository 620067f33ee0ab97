/** linkOidc: POST /auth/oidc/link. */
import { Problem } from "../../problem.ts";
import { OIDC_PROVIDER } from "../oidc.ts";
import { cookieOf, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const linkOidc: DashboardOperation = (deps) => async (request, reply) => {
  if (deps.oidcName === undefined) throw new Problem("route_not_found");
  await deps.signInAttempts.countAddress(request.ip);
  const page = `${deps.publicUrl()}/dashboard/account`;
  const { api } = await deps.providerAuth();
  const response = await api.linkSocialAccount({
    body: { provider: OIDC_PROVIDER, callbackURL: page, errorCallbackURL: page },
    headers: cookieOf(request),
    returnHeaders: true,
  });
  setCookies(reply, response.headers);
  return { url: response.response.url ?? "" } satisfies Schemas["Redirect"];
};
