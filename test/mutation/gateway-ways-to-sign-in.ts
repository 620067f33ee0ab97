/** The guards of the ways to sign in and of their changes, and the tests that need them. */
import type { Mutation } from "./mutation.ts";

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
  {
    guard: "a password alone does not sign in a user with a second factor",
    file: SIGN_IN,
    old: 'if ("twoFactorRedirect" in response) {',
    new: "if (false) {",
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "an app's code signs in once",
    file: COMPLETE_SIGN_IN,
    old: 'if (kind === "app") {',
    new: "if (false) {",
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "a second factor is set up only with the password",
    file: BEGIN_SECOND_FACTOR,
    old: `await reauthenticate(deps, request, password);
  if (userOf(request).hasSecondFactor)`,
    new: `if (userOf(request).hasSecondFactor)`,
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "a passkey is added only with the password",
    file: BEGIN_PASSKEY,
    old: `await reauthenticate(deps, request, password);
  const { api } = await deps.auth();`,
    new: `const { api } = await deps.auth();`,
    test: PASSKEYS_TEST,
  },
  {
    guard: "a passkey asks for finger, face or PIN",
    file: PASSKEYS,
    old: 'userVerification: "required"',
    new: 'userVerification: "preferred"',
    test: PASSKEYS_TEST,
  },
  {
    guard: "a passkey that asked for nothing signs nobody in",
    file: PASSKEYS,
    old: 'if (!verification.authenticationInfo.userVerified) throw new APIError("UNAUTHORIZED");',
    new: "",
    test: PASSKEYS_TEST,
  },
  {
    guard: "a passkey is removed by its user only",
    file: PASSKEY_ROWS,
    old: "where user_id = ${userId} and id = ${id} returning id",
    new: "where id = ${id} returning id",
    test: PASSKEYS_TEST,
  },
  {
    guard: "a passkey is removed only with the password",
    file: REMOVE_PASSKEY,
    old: `await reauthenticate(deps, request, password);
  const user = userOf(request);`,
    new: `const user = userOf(request);`,
    test: WAYS_TEST,
  },
  {
    guard: "a second factor is removed only with the password",
    file: REMOVE_SECOND_FACTOR,
    old: `await reauthenticate(deps, request, password);
  const { id, email } = userOf(request);`,
    new: `const { id, email } = userOf(request);`,
    test: WAYS_TEST,
  },
  {
    guard: "recovery codes are renewed only with the password",
    file: RENEW_CODES,
    old: `await reauthenticate(deps, request, password);
  const user = userOf(request);`,
    new: `const user = userOf(request);`,
    test: WAYS_TEST,
  },
  {
    guard: "the provider is linked only with the password",
    file: LINK_OIDC,
    old: 'await reauthenticate(deps, request, (request.body as Schemas["PasswordRequest"]).password);',
    new: "",
    test: WAYS_TEST,
  },
  {
    guard: "the provider is unlinked only with the password",
    file: UNLINK_OIDC,
    old: "await reauthenticate(deps, request, password);",
    new: "",
    test: WAYS_TEST,
  },
  {
    guard: "a user without a password has to have signed in just now",
    file: REAUTHENTICATE,
    old: "if (!isFresh) throw",
    new: "if (false) throw",
    test: WAYS_TEST,
  },
  {
    guard: "the mails of a user's changes are limited",
    file: REAUTHENTICATE,
    old: "return signInAttempts.countChange(id);",
    new: "return;",
    test: WAYS_TEST,
  },
  {
    guard: "the second factor is asked for after the provider",
    file: SECOND_FACTOR,
    old: "context.path === PROVIDER_CALLBACK || ",
    new: "",
    test: OIDC_TEST,
  },
  {
    guard: "a stranger does not lock the second factor",
    file: SECOND_FACTOR,
    old: "accountLockout: { enabled: false },",
    new: "",
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "codes of strangers are counted",
    file: COMPLETE_SIGN_IN,
    old: "await deps.signInAttempts.count(login, by);",
    new: "",
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "first codes are counted",
    file: CONFIRM_SECOND_FACTOR,
    old: "await deps.signInAttempts.count(id, by);",
    new: "",
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "two set-ups at the same time both answer",
    file: LOST_RACE,
    old: "!== UNIQUE_VIOLATION",
    new: '!== ""',
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "an equal address links no provider",
    file: AUTH,
    old: "disableImplicitLinking: true",
    new: "disableImplicitLinking: false",
    test: OIDC_TEST,
  },
  {
    guard: "tokens of the provider are encrypted",
    file: AUTH,
    old: "encryptOAuthTokens: true",
    new: "encryptOAuthTokens: false",
    test: OIDC_TEST,
  },
  {
    guard: "a linked login is told by mail",
    file: AUTH,
    old: "if (email !== undefined) mailer.send(",
    new: "if (false) mailer.send(",
    test: WAYS_TEST,
  },
];
