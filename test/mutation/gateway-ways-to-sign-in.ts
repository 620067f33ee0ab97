/** The guards of the ways to sign in and of their changes, and the tests that need them. */
import { guards, type Mutation } from "./mutation.ts";

const AUTH = "services/gateway/dashboard/session/auth.ts";
const BEGIN_PASSKEY = "services/gateway/dashboard/sign-in/passkeys.ts";
const BEGIN_SECOND_FACTOR = "services/gateway/dashboard/sign-in/second-factor.ts";
const COMPLETE_SIGN_IN = "services/gateway/dashboard/sign-in/sign-in.ts";
const CONFIRM_SECOND_FACTOR = "services/gateway/dashboard/sign-in/second-factor.ts";
const LINK_OIDC = "services/gateway/dashboard/sign-in/oidc.ts";
const LOST_RACE = "services/gateway/dashboard/session/lost-race.ts";
const PASSKEYS = "services/gateway/dashboard/session/auth.ts";
const PASSKEY_ROWS = "services/gateway/store/passkeys.ts";
const REAUTHENTICATE = "services/gateway/dashboard/sign-in/reauthenticate.ts";
const REMOVE_PASSKEY = "services/gateway/dashboard/sign-in/passkeys.ts";
const REMOVE_SECOND_FACTOR = "services/gateway/dashboard/sign-in/second-factor.ts";
const RENEW_CODES = "services/gateway/dashboard/sign-in/second-factor.ts";
const SECOND_FACTOR = "services/gateway/dashboard/session/auth.ts";
const SIGN_IN = "services/gateway/dashboard/sign-in/sign-in.ts";
const UNLINK_OIDC = "services/gateway/dashboard/sign-in/oidc.ts";

const OIDC_TEST = "test/gateway/dashboard/session/oidc.test.ts";
const PASSKEYS_TEST = "test/gateway/dashboard/session/passkeys.test.ts";
const SECOND_FACTOR_TEST = "test/gateway/dashboard/session/second-factor.test.ts";
const WAYS_TEST = "test/gateway/dashboard/ways-to-sign-in.test.ts";

export const gatewayWaysToSignIn: readonly Mutation[] = [
  ...guards(SIGN_IN, SECOND_FACTOR_TEST, {
    "a password alone does not sign in a user with a second factor": [
      'if ("twoFactorRedirect" in response) {',
      "if (false) {",
    ],
  }),
  ...guards(COMPLETE_SIGN_IN, SECOND_FACTOR_TEST, {
    "an app's code signs in once": ['if (kind === "app") {', "if (false) {"],
    "codes of strangers are counted": "await deps.signInAttempts.count(login, by);",
  }),
  ...guards(BEGIN_SECOND_FACTOR, SECOND_FACTOR_TEST, {
    "a second factor is set up only with the password": [
      `await reauthenticate(deps, request, password);
  if (userOf(request).hasSecondFactor)`,
      "if (userOf(request).hasSecondFactor)",
    ],
  }),
  ...guards(BEGIN_PASSKEY, PASSKEYS_TEST, {
    "a passkey is added only with the password": [
      `await reauthenticate(deps, request, password);
  const { api } = await deps.auth();`,
      "const { api } = await deps.auth();",
    ],
  }),
  ...guards(PASSKEYS, PASSKEYS_TEST, {
    "a passkey asks for finger, face or PIN": [
      'userVerification: "required"',
      'userVerification: "preferred"',
    ],
    "a passkey that asked for nothing signs nobody in":
      'if (!verification.authenticationInfo.userVerified) throw new APIError("UNAUTHORIZED");',
  }),
  ...guards(PASSKEY_ROWS, PASSKEYS_TEST, {
    "a passkey is removed by its user only": "user_id = ${userId} and",
  }),
  ...guards(REMOVE_PASSKEY, WAYS_TEST, {
    "a passkey is removed only with the password": [
      `await reauthenticate(deps, request, password);
  const user = userOf(request);`,
      "const user = userOf(request);",
    ],
  }),
  ...guards(REMOVE_SECOND_FACTOR, WAYS_TEST, {
    "a second factor is removed only with the password": [
      `await reauthenticate(deps, request, password);
  const { id, email } = userOf(request);`,
      "const { id, email } = userOf(request);",
    ],
  }),
  ...guards(RENEW_CODES, WAYS_TEST, {
    "recovery codes are renewed only with the password": [
      `await reauthenticate(deps, request, password);
  const user = userOf(request);`,
      "const user = userOf(request);",
    ],
  }),
  ...guards(LINK_OIDC, WAYS_TEST, {
    "the provider is linked only with the password":
      'await reauthenticate(deps, request, (request.body as Schemas["PasswordRequest"]).password);',
  }),
  ...guards(UNLINK_OIDC, WAYS_TEST, {
    "the provider is unlinked only with the password":
      "await reauthenticate(deps, request, password);",
  }),
  ...guards(REAUTHENTICATE, WAYS_TEST, {
    "a user without a password has to have signed in just now": ["if (!isFresh)", "if (false)"],
    "the mails of a user's changes are limited": [
      "return signInAttempts.countChange(id);",
      "return;",
    ],
  }),
  ...guards(SECOND_FACTOR, OIDC_TEST, {
    "the second factor is asked for after the provider": "context.path === PROVIDER_CALLBACK ||",
  }),
  ...guards(SECOND_FACTOR, SECOND_FACTOR_TEST, {
    "a stranger does not lock the second factor": "accountLockout: { enabled: false },",
  }),
  ...guards(CONFIRM_SECOND_FACTOR, SECOND_FACTOR_TEST, {
    "first codes are counted": "await deps.signInAttempts.count(id, by);",
  }),
  ...guards(LOST_RACE, SECOND_FACTOR_TEST, {
    "two set-ups at the same time both answer": ["!== UNIQUE_VIOLATION", '!== ""'],
  }),
  ...guards(AUTH, OIDC_TEST, {
    "an equal address links no provider": [
      "disableImplicitLinking: true",
      "disableImplicitLinking: false",
    ],
    "tokens of the provider are encrypted": [
      "encryptOAuthTokens: true",
      "encryptOAuthTokens: false",
    ],
  }),
  ...guards(AUTH, WAYS_TEST, {
    "a linked login is told by mail": ["email !== undefined) mailer.send(", "false) mailer.send("],
  }),
];
