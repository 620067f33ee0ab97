/** Operations on the second factor and on passkeys, and signing in by one. */
import { presentPage, publicOf } from "../../edge/operations/operation.ts";
import { Problem } from "../../edge/http/problem.ts";
import { againIfTaken } from "../session/auth.ts";
import type { DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import { finishSignIn, refuseCode } from "./sign-in.ts";
import * as store from "../../store/store.ts";
import type { AuthenticationResponseJSON } from "@simplewebauthn/browser";

export const beginSecondFactor: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { password } = request.body as Schemas["PasswordRequest"];
  await session.reauthenticate(call);
  if (session.userOf(request).twoFactorEnabled) throw new Problem("second_factor_exists");
  const { api } = await deps.auth();
  const begun = await againIfTaken(() =>
    api.enableTwoFactor({ body: { password: password ?? "" }, headers: session.cookieOf(request) }),
  );
  if (begun.method !== "totp") throw new Error("the second factor is no authenticator app");
  return {
    uri: begun.totpURI,
    recovery_codes: begun.backupCodes,
  } satisfies Schemas["NewSecondFactor"];
};

export const confirmSecondFactor: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { code } = request.body as Schemas["CodeRequest"];
  const { id, email, twoFactorEnabled } = session.userOf(request);
  const { api } = await deps.auth();
  const { headers } = await session.attemptAsUser(call, () =>
    api.verifyTOTP({ body: { code }, ...session.asUser(request) }).catch(refuseCode),
  );
  await deps.signInAttempts.countCode(id, code);
  if (!twoFactorEnabled) {
    deps.mailer.send(email, deps.messages.signInChanged("second_factor_added"));
  }
  session.setCookies(call.reply, headers);
};

export const removeSecondFactor: DashboardOperation = async (call) => {
  const { deps, request } = call;
  await session.reauthenticate(call);
  const { id, email } = session.userOf(request);
  await deps.sql.begin((transaction) => store.deleteSecondFactor(transaction, id));
  deps.mailer.send(email, deps.messages.signInChanged("second_factor_removed"));
};

export const renewRecoveryCodes: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { password } = request.body as Schemas["PasswordRequest"];
  await session.reauthenticate(call);
  const user = session.userOf(request);
  if (!user.twoFactorEnabled) throw new Problem("no_second_factor");
  const { api } = await deps.auth();
  const { backupCodes } = await api.generateBackupCodes({
    body: { password: password ?? "" },
    headers: session.cookieOf(request),
  });
  deps.mailer.send(user.email, deps.messages.signInChanged("recovery_codes_renewed"));
  return { recovery_codes: backupCodes } satisfies Schemas["RecoveryCodes"];
};

/** As many as the sign-in library lists. */
const MAX_PASSKEYS = 100;

export const listPasskeys: DashboardOperation = async ({ deps, request }) => {
  const { api } = await deps.auth();
  const found = await api.listPasskeys({ headers: session.cookieOf(request) });
  const data = found.map((one) => {
    return { ...publicOf(one), object: "passkey" as const, name: one.name ?? "" };
  });
  const sorted = data.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  return presentPage(sorted, found.length >= MAX_PASSKEYS) satisfies Schemas["PasskeyList"];
};

export const beginPasskey: DashboardOperation = async (call) => {
  await session.reauthenticate(call);
  const { api } = await call.deps.auth();
  const asked = session.asUser(call.request);
  const { headers, response } = await api.generatePasskeyRegistrationOptions(asked);
  session.setCookies(call.reply, headers);
  return { options: { ...response } } satisfies Schemas["PasskeyOptions"];
};

export const createPasskey: DashboardOperation = async ({ deps, request }) => {
  const { name, response } = request.body as Schemas["CreatePasskeyRequest"];
  const { api } = await deps.auth();
  await api
    .verifyPasskeyRegistration({ body: { name, response }, headers: session.cookieOf(request) })
    .catch(session.refusedAs("wrong_passkey"));
  deps.mailer.send(session.userOf(request).email, deps.messages.signInChanged("passkey_added"));
};

export const removePasskey: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const id = session.namedInPath(request, "passkey_id", "passkey_not_found");
  await session.reauthenticate(call);
  const { api } = await deps.auth();
  await api
    .deletePasskey({ body: { id }, headers: session.cookieOf(request) })
    .catch(session.refusedAs("passkey_not_found"));
  deps.mailer.send(session.userOf(request).email, deps.messages.signInChanged("passkey_removed"));
};

export const beginPasskeySignIn: DashboardOperation = async ({ deps, request, reply }) => {
  await deps.signInAttempts.countAddress(request.ip);
  const { api } = await deps.auth();
  const asked = session.asUser(request);
  const { headers, response } = await api.generatePasskeyAuthenticationOptions(asked);
  session.setCookies(reply, headers);
  const options = { ...response, userVerification: "required" };
  return { options } satisfies Schemas["PasskeyOptions"];
};

export const signInWithPasskey: DashboardOperation = async (call) => {
  const { response } = call.request.body as Schemas["PasskeyRequest"];
  const { api } = await call.deps.auth();
  const verified = await api
    .verifyPasskeyAuthentication({
      // The library checks it.
      body: { response: response as unknown as AuthenticationResponseJSON },
      ...session.asUser(call.request),
    })
    .catch(session.refusedAs("wrong_passkey"));
  return finishSignIn(call, verified.headers, verified.response.user);
};
