/** Operations on passkeys, and signing in by one. */
import { listPasskeys as list, deletePasskey } from "../../store/passkeys.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { userOf } from "../session/request-state.ts";
import type { SignInOperation } from "./deps.ts";
import type { Schemas } from "../session/operation.ts";
import { reauthenticate } from "../session/reauthenticate.ts";
import { cookieOf, setCookies, isRefusal } from "../session/sessions.ts";
import { Problem } from "../../edge/http/problem.ts";
import { isToken } from "#runtime/id.ts";
import type { AuthenticationResponseJSON } from "@simplewebauthn/browser";
import { finishSignIn } from "./sign-in.ts";

const MAX_PASSKEYS = 100;

export const listPasskeys: SignInOperation = (deps) => async (request) => {
  const rows = await list(deps.sql, userOf(request).id, MAX_PASSKEYS + 1);
  const data = rows.slice(0, MAX_PASSKEYS).map(({ id, name, createdAt }) => ({
    id,
    object: "passkey" as const,
    name: name ?? "",
    created_at: createdAt.toISOString(),
  }));
  return presentPage(data, rows.length > MAX_PASSKEYS) satisfies Schemas["PasskeyList"];
};

export const beginPasskey: SignInOperation = (deps) => async (request, reply) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await reauthenticate(deps, request, password);
  const { api } = await deps.auth();
  const { headers, response } = await api.generatePasskeyRegistrationOptions({
    headers: cookieOf(request),
    returnHeaders: true,
  });
  setCookies(reply, headers);
  return { options: { ...response } } satisfies Schemas["PasskeyOptions"];
};

export const createPasskey: SignInOperation = (deps) => async (request, reply) => {
  const { name, response } = request.body as Schemas["CreatePasskeyRequest"];
  const { api } = await deps.auth();
  await api
    .verifyPasskeyRegistration({ body: { name, response }, headers: cookieOf(request) })
    .catch((error: unknown) => {
      throw isRefusal(error) ? new Problem("wrong_passkey") : error;
    });
  deps.mailer.send(userOf(request).email, deps.messages.signInChanged("passkey_added"));
  return reply.code(204).send();
};

export const removePasskey: SignInOperation = (deps) => async (request, reply) => {
  const { passkey_id: id } = request.params as { passkey_id: string };
  const { password } = request.body as Schemas["PasswordRequest"];
  await reauthenticate(deps, request, password);
  const user = userOf(request);
  const isRemoved = isToken(id) && (await deletePasskey(deps.sql, user.id, id));
  if (!isRemoved) throw new Problem("passkey_not_found");
  deps.mailer.send(user.email, deps.messages.signInChanged("passkey_removed"));
  return reply.code(204).send();
};

export const beginPasskeySignIn: SignInOperation = (deps) => async (request, reply) => {
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

export const signInWithPasskey: SignInOperation = (deps) => async (request, reply) => {
  const { response } = request.body as Schemas["PasskeyRequest"];
  const { api } = await deps.auth();
  const verified = await api
    .verifyPasskeyAuthentication({
      // The library checks it.
      body: { response: response as unknown as AuthenticationResponseJSON },
      headers: cookieOf(request),
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      throw isRefusal(error) ? new Problem("wrong_passkey") : error;
    });
  return finishSignIn(deps, request, reply, verified.headers, verified.response.user);
};
