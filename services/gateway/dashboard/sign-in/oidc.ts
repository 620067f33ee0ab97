/** Operations on signing in by the identity provider. */
import { Problem } from "../../edge/http/problem.ts";
import { OIDC_PROVIDER } from "../session/oidc.ts";
import { cookieOf, setCookies } from "../session/sessions.ts";
import type { SignInOperation } from "./deps.ts";
import type { Schemas } from "../session/operation.ts";
import { reauthenticate } from "../session/reauthenticate.ts";
import { deleteLogin, hasPassword } from "../../store/user-logins.ts";
import { lockUser } from "../../store/users.ts";
import { userOf } from "../session/request-state.ts";

export const startOidc: SignInOperation = (deps) => async (request, reply) => {
  if (deps.oidcName === undefined) throw new Problem("route_not_found");
  await deps.signInAttempts.countAddress(request.ip);
  const home = `${deps.publicUrl()}/dashboard`;
  // The provider may be slow.
  request.turn?.pause();
  const { api } = await deps.providerAuth();
  const response = await api.signInSocial({
    body: { provider: OIDC_PROVIDER, callbackURL: home, errorCallbackURL: `${home}/sign-in` },
    headers: cookieOf(request),
    returnHeaders: true,
  });
  setCookies(reply, response.headers);
  return { url: response.response.url ?? "" } satisfies Schemas["Redirect"];
};

export const linkOidc: SignInOperation = (deps) => async (request, reply) => {
  if (deps.oidcName === undefined) throw new Problem("route_not_found");
  await deps.signInAttempts.countAddress(request.ip);
  await reauthenticate(deps, request, (request.body as Schemas["PasswordRequest"]).password);
  request.turn?.pause();
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

export const unlinkOidc: SignInOperation = (deps) => async (request, reply) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await reauthenticate(deps, request, password);
  const { id, email } = userOf(request);
  const isUnlinked = await deps.sql.begin(async (transaction) => {
    await lockUser(transaction, id);
    if (!(await hasPassword(transaction, id))) throw new Problem("last_login");
    return deleteLogin(transaction, id, OIDC_PROVIDER);
  });
  if (isUnlinked) deps.mailer.send(email, deps.messages.signInChanged("provider_unlinked"));
  return reply.code(204).send();
};
