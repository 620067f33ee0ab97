/** The guards of signing in: mail, sessions and throttling, and the tests that need them. */
import type { Mutation } from "./mutation.ts";

const ATTEMPTS = "services/gateway/dashboard/session/sign-in-attempts.ts";
const ATTEMPT_ROWS = "services/gateway/store/sign-in-attempts.ts";
const AUTH = "services/gateway/dashboard/session/auth.ts";
const BEGIN_PASSKEY_SIGN_IN = "services/gateway/dashboard/sign-in/passkeys.ts";
const CHANGE_ACCOUNT = "services/gateway/dashboard/session/change-account.ts";
const CHANGE_EMAIL = "services/gateway/dashboard/sign-in/email.ts";
const SET_PASSWORD = "services/gateway/dashboard/sign-in/set-password.ts";
const CLIENT_NETWORK = "services/gateway/edge/http/client-network.ts";
const CONFIRM_EMAIL = "services/gateway/dashboard/sign-in/email.ts";
const CREATE_INVITATION = "services/gateway/dashboard/members/invitations.ts";
const KNOWN_BROWSER = "services/gateway/dashboard/sign-in/known-browser.ts";
const MESSAGES = "services/gateway/accounts/mail/messages.ts";
const REQUEST_SIGN_UP = "services/gateway/dashboard/sign-in/sign-up.ts";
const SESSIONS = "services/gateway/dashboard/session/sessions.ts";
const SESSION_ROWS = "services/gateway/store/sessions.ts";
const SIGN_IN = "services/gateway/dashboard/sign-in/sign-in.ts";
const SIGN_UP = "services/gateway/dashboard/sign-in/sign-up.ts";
const USER_ROWS = "services/gateway/store/users.ts";
const USER_RPC = "services/gateway/rpc/users.ts";

const ATTEMPTS_TEST = "test/gateway/dashboard/session/sign-in-attempts.test.ts";
const CLIENT_NETWORK_TEST = "test/gateway/edge/http/client-network.test.ts";
const KEYS_TEST = "test/gateway/dashboard/keys.test.ts";
const KNOWN_BROWSER_TEST = "test/gateway/dashboard/sign-in/known-browser.test.ts";
const MAIL_TEST = "test/gateway/dashboard/mail.test.ts";
const MEMBERS_TEST = "test/gateway/dashboard/members.test.ts";
const MESSAGES_TEST = "test/gateway/accounts/mail/messages.test.ts";
const PASSKEYS_TEST = "test/gateway/dashboard/session/passkeys.test.ts";
const SECOND_FACTOR_TEST = "test/gateway/dashboard/session/second-factor.test.ts";
const SECURE_COOKIES_TEST = "test/gateway/dashboard/secure-cookies.test.ts";
const SESSION_TEST = "test/gateway/dashboard/session.test.ts";
const USERS_TEST = "test/gateway/rpc/users.test.ts";
const WAYS_TEST = "test/gateway/dashboard/ways-to-sign-in.test.ts";

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
    old: "await reauthenticate(deps, request, current_password);",
    new: "",
    test: WAYS_TEST,
  },
  {
    guard: "a change of address is confirmed at the present address",
    file: AUTH,
    old: "sendChangeEmailConfirmation: async",
    new: "unused: async",
    test: MAIL_TEST,
  },
  {
    guard: "an invitation's secret is in the fragment",
    file: MESSAGES,
    old: 'return pageLink(publicUrl, "invitations", { token });',
    new: "return pageLink(publicUrl, `invitations/${token}`, {});",
    test: MESSAGES_TEST,
  },
  {
    guard: "an address that somebody took meanwhile is refused",
    file: CONFIRM_EMAIL,
    old: 'throw isTaken ? new Problem("email_taken") : error;',
    new: "throw error;",
    test: MAIL_TEST,
  },
  {
    guard: "mails that invite are limited",
    file: CREATE_INVITATION,
    old: "if (isMailed) await deps.signInAttempts.countMail(email, accountId);",
    new: "",
    test: MAIL_TEST,
  },
  {
    guard: "mails of changes of address are limited at the present one",
    file: CHANGE_EMAIL,
    old: "await deps.signInAttempts.countMail(user.email, request.ip);",
    new: "",
    test: MAIL_TEST,
  },
  {
    guard: "mails of changes of address are limited at the new one",
    file: CHANGE_EMAIL,
    old: `await deps.signInAttempts.countMail(user.email, request.ip);
  await deps.signInAttempts.countMail(email, request.ip);`,
    new: "await deps.signInAttempts.countMail(user.email, request.ip);",
    test: MAIL_TEST,
  },
  {
    guard: "who reads the mail removes the passkeys of an unverified login",
    file: USER_ROWS,
    old: "    await deletePasskeys(transaction, userId);\n",
    new: "",
    test: MAIL_TEST,
  },
  {
    guard: "who reads the mail removes the second factor of an unverified login",
    file: USER_ROWS,
    old: "    await deleteSecondFactor(transaction, userId);\n",
    new: "",
    test: MAIL_TEST,
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
    file: SET_PASSWORD,
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
  {
    guard: "over TLS the session cookie needs it",
    file: AUTH,
    old: "useSecureCookies: !isPlainLoopback(publicUrl)",
    new: "useSecureCookies: false",
    test: SECURE_COOKIES_TEST,
  },
  {
    guard: "a known browser's cookie is signed",
    file: KNOWN_BROWSER,
    old: 'name !== "" && isEqual(signed, signature(name, email))',
    new: 'name !== ""',
    test: KNOWN_BROWSER_TEST,
  },
  {
    guard: "a known browser's cookie is for one user",
    file: KNOWN_BROWSER,
    old: "`${name}\\0${email.toLowerCase()}`",
    new: "name",
    test: KNOWN_BROWSER_TEST,
  },
  {
    guard: "a known browser's cookie is Secure over TLS",
    file: KNOWN_BROWSER,
    old: 'isSecure() ? ["Secure"] : []',
    new: 'false ? ["Secure"] : []',
    test: KNOWN_BROWSER_TEST,
  },
  {
    guard: "one of several sign-ups of an address succeeds",
    file: SIGN_UP,
    old: '(await hasUser(deps.sql, email)) ? new Problem("email_taken") : error',
    new: "error",
    test: SESSION_TEST,
  },
  {
    guard: "a member who is removed meanwhile changes nothing",
    file: CHANGE_ACCOUNT,
    old: 'if (!current) throw new Problem("account_not_found");\n    if (current.role !== role)',
    new: "if (current && current.role !== role)",
    test: MEMBERS_TEST,
  },
  {
    guard: "a member who gets a smaller role meanwhile changes nothing",
    file: CHANGE_ACCOUNT,
    old: 'if (current.role !== role) throw new Problem("role_required");',
    new: "",
    test: MEMBERS_TEST,
  },
  {
    guard: "an account has at most a hundred open invitations",
    file: CREATE_INVITATION,
    old: "if (open.length >= MAX_INVITATIONS && !isReplacement) throw",
    new: "if (false) throw",
    test: KEYS_TEST,
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
  {
    guard: "attempts at the same time do not wait for each other",
    file: ATTEMPT_ROWS,
    old: "then ${forgottenAt}::timestamptz",
    new: "then ${at}::timestamptz",
    test: ATTEMPTS_TEST,
  },
  {
    guard: "questions for passkeys are counted by address",
    file: BEGIN_PASSKEY_SIGN_IN,
    old: "await deps.signInAttempts.countAddress(request.ip);",
    new: "",
    test: PASSKEYS_TEST,
  },
];

export const gatewaySignIn: readonly Mutation[] = [...mail, ...sessions, ...throttling];
