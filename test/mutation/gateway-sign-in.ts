/** The guards of signing in: mail, second factor, passkeys, sessions and throttling, and the tests that need them. */
import type { Mutation } from "./mutation.ts";

const AUTH = "services/gateway/dashboard/auth.ts";
const BEGIN_PASSKEY = "services/gateway/dashboard/api/begin-passkey.ts";
const BEGIN_SECOND_FACTOR = "services/gateway/dashboard/api/begin-second-factor.ts";
const CHANGE_EMAIL = "services/gateway/dashboard/api/change-email.ts";
const CHANGE_PASSWORD = "services/gateway/dashboard/api/change-password.ts";
const COMPLETE_SIGN_IN = "services/gateway/dashboard/api/complete-sign-in.ts";
const REQUEST_SIGN_UP = "services/gateway/dashboard/api/request-sign-up.ts";
const SIGN_IN = "services/gateway/dashboard/api/sign-in.ts";
const SIGN_UP = "services/gateway/dashboard/api/sign-up.ts";
const CLIENT_NETWORK = "services/gateway/dashboard/client-network.ts";
const PASSKEYS = "services/gateway/dashboard/passkeys.ts";
const SESSIONS = "services/gateway/dashboard/sessions.ts";
const ATTEMPTS = "services/gateway/dashboard/sign-in-attempts.ts";
const USER_RPC = "services/gateway/rpc/user.ts";
const ATTEMPT_ROWS = "services/gateway/store/sign-in-attempts.ts";
const PASSKEY_ROWS = "services/gateway/store/passkeys.ts";
const SESSION_ROWS = "services/gateway/store/sessions.ts";

const ATTEMPTS_TEST = "test/gateway/dashboard/sign-in-attempts.test.ts";
const CLIENT_NETWORK_TEST = "test/gateway/dashboard/client-network.test.ts";
const MAIL_TEST = "test/gateway/dashboard/mail.test.ts";
const PASSKEYS_TEST = "test/gateway/dashboard/passkeys.test.ts";
const SECOND_FACTOR_TEST = "test/gateway/dashboard/second-factor.test.ts";
const SESSION_TEST = "test/gateway/dashboard/session.test.ts";
const USERS_TEST = "test/gateway/rpc/users.test.ts";

const mail: readonly Mutation[] = [
  {
    guard: "a sign-up needs a mailed link",
    file: SIGN_UP,
    old: "if (!invitation && !isVerified && deps.mailer.reachesAddressee) {",
    new: "if (false) {",
    test: MAIL_TEST,
  },
  {
    guard: "a mailed link proves its own address only",
    file: SIGN_UP,
    old: "if ((await signUpProof.check(proof)) !== email) throw",
    new: "if ((await signUpProof.check(proof)) === undefined) throw",
    test: MAIL_TEST,
  },
  {
    guard: "nobody learns by signing up which addresses have a login",
    file: REQUEST_SIGN_UP,
    old: "isTaken ? messages.hasLogin() : ",
    new: "",
    test: MAIL_TEST,
  },
  {
    guard: "mails to an address are limited",
    file: ATTEMPTS,
    old: `        ["mail", hash("mail", email.toLowerCase())],
`,
    new: "",
    test: MAIL_TEST,
  },
  {
    guard: "mails of one sender are limited",
    file: ATTEMPTS,
    old: `        ["sender", hash("sender", clientNetwork(sender))],
`,
    new: "",
    test: ATTEMPTS_TEST,
  },
  {
    guard: "a reset password ends every session",
    file: AUTH,
    old: "revokeSessionsOnPasswordReset: true",
    new: "revokeSessionsOnPasswordReset: false",
    test: MAIL_TEST,
  },
  {
    guard: "who reads the mail takes an unverified login over",
    file: AUTH,
    old: "if (mailer.reachesAddressee) await takeOverUnverified(sql, user.id);",
    new: "",
    test: MAIL_TEST,
  },
  {
    guard: "mailed links are stored as hashes",
    file: AUTH,
    old: 'storeIdentifier: "hashed"',
    new: 'storeIdentifier: "plain"',
    test: MAIL_TEST,
  },
  {
    guard: "a change of address needs the password",
    file: CHANGE_EMAIL,
    old: "if (await hasPassword(deps.sql, user.id)) await checkPassword(deps, request, current_password);",
    new: "",
    test: MAIL_TEST,
  },
  {
    guard: "a change of address is confirmed at the present address",
    file: AUTH,
    old: "sendChangeEmailConfirmation: async",
    new: "unused: async",
    test: MAIL_TEST,
  },
];

const secondFactor: readonly Mutation[] = [
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
    old: "await checkPassword(deps, request, password);",
    new: "",
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "a passkey is added only with the password",
    file: BEGIN_PASSKEY,
    old: "await checkPassword(deps, request, password);",
    new: "",
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
];

const sessions: readonly Mutation[] = [
  {
    guard: "a session is ended by its user only",
    file: SESSION_ROWS,
    old: "where user_id = ${userId} and id = ${id} returning token",
    new: "where id = ${id} returning token",
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "use does not make a session longer",
    file: AUTH,
    old: "disableSessionRefresh: true",
    new: "disableSessionRefresh: false",
    test: SECOND_FACTOR_TEST,
  },
  {
    guard: "a sign-in ends the browser's earlier session",
    file: SIGN_IN,
    old: `  await endSession(deps, request);
  if (user.disabledAt) {`,
    new: "  if (user.disabledAt) {",
    test: SESSION_TEST,
  },
  {
    guard: "a changed password ends all other sessions",
    file: CHANGE_PASSWORD,
    old: "revokeOtherSessions: true",
    new: "revokeOtherSessions: false",
    test: SESSION_TEST,
  },
  {
    guard: "a disabled user cannot sign in",
    file: SIGN_IN,
    old: "if (user.disabledAt) {",
    new: "if (false) {",
    test: USERS_TEST,
  },
  {
    guard: "a disabled user's session gives no access",
    file: SESSIONS,
    old: "if (!response || response.user.disabledAt)",
    new: "if (!response)",
    test: USERS_TEST,
  },
  {
    guard: "what operators do to a user is in the audit log of each account",
    file: USER_RPC,
    old: "await operatorRecorder(deps, sql, accountId, context)(change);",
    new: "void accountId;",
    test: USERS_TEST,
  },
];

const throttling: readonly Mutation[] = [
  {
    guard: "strangers do not delay a browser that has signed in before",
    file: ATTEMPTS,
    old: 'if (browser !== undefined) return [["known", hash("known", name, browser)]];',
    new: "",
    test: ATTEMPTS_TEST,
  },
  {
    guard: "clients of IPv6 are told apart by their /64",
    file: CLIENT_NETWORK,
    old: "parsed.parts.slice(0, IPV6_SUBNET_PARTS)",
    new: "parsed.parts.slice(0)",
    test: CLIENT_NETWORK_TEST,
  },
  {
    guard: "delays grow",
    file: ATTEMPT_ROWS,
    old: "* 2 ^ least(a.attempts - ${free}, ${MAX_DOUBLINGS})",
    new: "",
    test: ATTEMPTS_TEST,
  },
  {
    guard: "a refused attempt does not count",
    file: ATTEMPT_ROWS,
    old: "where a.next_at <= ${at}",
    new: "where a.next_at <= ${at} or a.attempts > ${free}",
    test: ATTEMPTS_TEST,
  },
  {
    guard: "a right password forgets the attempts before",
    file: ATTEMPTS,
    old: 'if (kind === "pair" || kind === "known") await',
    new: "if (false) await",
    test: ATTEMPTS_TEST,
  },
];

export const gatewaySignIn: readonly Mutation[] = [
  ...mail,
  ...secondFactor,
  ...sessions,
  ...throttling,
];
