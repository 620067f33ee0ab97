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
  const { password } = call.request.body as Schemas["PasswordRequest"];
  const { api, asUser } = await session.reauthenticate(call);
  if (session.userOf(call.request).twoFactorEnabled) throw new Problem("second_factor_exists");
  const body = { password: password ?? "" };
  const begun = await againIfTaken(() => api.enableTwoFactor({ body, ...asUser }));
  if (begun.method !== "totp") throw new Error("the second factor is no authenticator app");
  return {
    uri: begun.totpURI,
    recovery_codes: begun.backupCodes,
  } satisfies Schemas["NewSecondFactor"];
};

export const confirmSecondFactor: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { code } = request.body as Schemas["CodeRequest"];
  const { id, twoFactorEnabled } = session.userOf(request);
  const { api, withHeaders } = await session.libraryOf(call);
  const { headers } = await session.attemptAsUser(call, () =>
    api.verifyTOTP({ body: { code }, ...withHeaders }).catch(refuseCode),
  );
  await deps.signInAttempts.countCode(id, code);
  if (!twoFactorEnabled) session.mailChange(call, "second_factor_added");
  session.setCookies(call.reply, headers);
};

export const removeSecondFactor: DashboardOperation = async (call) => {
  await session.reauthenticate(call);
  const { id } = session.userOf(call.request);
  await call.deps.sql.begin((transaction) => store.deleteSecondFactor(transaction, id));
  session.mailChange(call, "second_factor_removed");
};

export const renewRecoveryCodes: DashboardOperation = async (call) => {
  const { password } = call.request.body as Schemas["PasswordRequest"];
  const { api, asUser } = await session.reauthenticate(call);
  if (!session.userOf(call.request).twoFactorEnabled) throw new Problem("no_second_factor");
  const body = { password: password ?? "" };
  const { backupCodes } = await api.generateBackupCodes({ body, ...asUser });
  session.mailChange(call, "recovery_codes_renewed");
  return { recovery_codes: backupCodes } satisfies Schemas["RecoveryCodes"];
};

/** As many as the sign-in library lists. */
const MAX_PASSKEYS = 100;

export const listPasskeys: DashboardOperation = async (call) => {
  const { api, asUser } = await session.libraryOf(call);
  const found = await api.listPasskeys(asUser);
  const data = found.map((one) => {
    return { ...publicOf(one), object: "passkey" as const, name: one.name ?? "" };
  });
  const sorted = data.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  return presentPage(sorted, found.length >= MAX_PASSKEYS) satisfies Schemas["PasskeyList"];
};

export const beginPasskey: DashboardOperation = async (call) => {
  const { api, withHeaders } = await session.reauthenticate(call);
  const { headers, response } = await api.generatePasskeyRegistrationOptions(withHeaders);
  session.setCookies(call.reply, headers);
  return { options: { ...response } } satisfies Schemas["PasskeyOptions"];
};

export const createPasskey: DashboardOperation = async (call) => {
  const { name, response } = call.request.body as Schemas["CreatePasskeyRequest"];
  const { api, asUser } = await session.libraryOf(call);
  await api
    .verifyPasskeyRegistration({ body: { name, response }, ...asUser })
    .catch(session.refusedAs("wrong_passkey"));
  session.mailChange(call, "passkey_added");
};

export const removePasskey: DashboardOperation = async (call) => {
  const id = session.namedInPath(call.request, "passkey_id", "passkey_not_found");
  const { api, asUser } = await session.reauthenticate(call);
  await api
    .deletePasskey({ body: { id }, ...asUser })
    .catch(session.refusedAs("passkey_not_found"));
  session.mailChange(call, "passkey_removed");
};

export const beginPasskeySignIn: DashboardOperation = async (call) => {
  await call.deps.signInAttempts.countAddress(call.request.ip);
  const { api, withHeaders } = await session.libraryOf(call);
  const { headers, response } = await api.generatePasskeyAuthenticationOptions(withHeaders);
  session.setCookies(call.reply, headers);
  const options = { ...response, userVerification: "required" };
  return { options } satisfies Schemas["PasskeyOptions"];
};

export const signInWithPasskey: DashboardOperation = async (call) => {
  const sent = call.request.body as Schemas["PasskeyRequest"];
  const { api, withHeaders } = await session.libraryOf(call);
  // The library checks it.
  const response = sent.response as unknown as AuthenticationResponseJSON;
  const verified = await api
    .verifyPasskeyAuthentication({ body: { response }, ...withHeaders })
    .catch(session.refusedAs("wrong_passkey"));
  return finishSignIn(call, verified.headers, verified.response.user);
};
