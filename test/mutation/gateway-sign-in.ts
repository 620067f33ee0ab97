/** The guards of signing in: mail, sessions and throttling, and the tests that need them. */
import { guards, type Mutation } from "./mutation.ts";

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
  ...guards(SIGN_UP, MAIL_TEST, {
    "a sign-up needs a mailed link": [
      "if (!invitation && !isVerified && deps.mailer.reachesAddressee) {",
      "if (false) {",
    ],
    "a mailed link proves its own address only": [
      "if ((await signUpProof.check(proof)) !== email) throw",
      "if ((await signUpProof.check(proof)) === undefined) throw",
    ],
  }),
  ...guards(REQUEST_SIGN_UP, MAIL_TEST, {
    "nobody learns by signing up which addresses have a login": "isTaken ? messages.hasLogin() :",
  }),
  ...guards(ATTEMPTS, MAIL_TEST, {
    "mails to an address are limited": '["mail", hash("mail", email.toLowerCase())],',
  }),
  ...guards(ATTEMPTS, ATTEMPTS_TEST, {
    "mails of one sender are limited": '["sender", hash("sender", clientNetwork(sender))],',
  }),
  ...guards(AUTH, MAIL_TEST, {
    "a reset password ends every session": [
      "revokeSessionsOnPasswordReset: true",
      "revokeSessionsOnPasswordReset: false",
    ],
    "who reads the mail takes an unverified login over":
      "if (mailer.reachesAddressee) await takeOverUnverified(sql, user.id);",
    "mailed links are stored as hashes": ['storeIdentifier: "hashed"', 'storeIdentifier: "plain"'],
    "a change of address is confirmed at the present address": [
      "sendChangeEmailConfirmation: async",
      "unused: async",
    ],
  }),
  ...guards(CHANGE_EMAIL, WAYS_TEST, {
    "a change of address needs the password":
      "await reauthenticate(deps, request, current_password);",
  }),
  ...guards(MESSAGES, MESSAGES_TEST, {
    "an invitation's secret is in the fragment": [
      'return pageLink(publicUrl, "invitations", { token });',
      "return pageLink(publicUrl, `invitations/${token}`, {});",
    ],
  }),
  ...guards(CONFIRM_EMAIL, MAIL_TEST, {
    "an address that somebody took meanwhile is refused": 'isTaken ? new Problem("email_taken") :',
  }),
  ...guards(CREATE_INVITATION, MAIL_TEST, {
    "mails that invite are limited":
      "if (isMailed) await deps.signInAttempts.countMail(email, accountId);",
  }),
  ...guards(CHANGE_EMAIL, MAIL_TEST, {
    "mails of changes of address are limited at the present one":
      "await deps.signInAttempts.countMail(user.email, request.ip);",
    "mails of changes of address are limited at the new one": [
      `await deps.signInAttempts.countMail(user.email, request.ip);
  await deps.signInAttempts.countMail(email, request.ip);`,
      "await deps.signInAttempts.countMail(user.email, request.ip);",
    ],
  }),
  ...guards(USER_ROWS, MAIL_TEST, {
    "who reads the mail removes the passkeys of an unverified login":
      "await deletePasskeys(transaction, userId);",
    "who reads the mail removes the second factor of an unverified login":
      "await deleteSecondFactor(transaction, userId);",
  }),
];

const sessions: readonly Mutation[] = [
  ...guards(SESSION_ROWS, SECOND_FACTOR_TEST, {
    "a session is ended by its user only": ["where user_id = ${userId} and id = $", "where id = $"],
  }),
  ...guards(AUTH, SECOND_FACTOR_TEST, {
    "use does not make a session longer": [
      "disableSessionRefresh: true",
      "disableSessionRefresh: false",
    ],
  }),
  ...guards(SIGN_IN, SESSION_TEST, {
    "a sign-in ends the browser's earlier session": [
      `await endSession(deps, request);
  if (user.disabledAt) {`,
      "if (user.disabledAt) {",
    ],
  }),
  ...guards(SET_PASSWORD, SESSION_TEST, {
    "a changed password ends all other sessions": [
      "revokeOtherSessions: true",
      "revokeOtherSessions: false",
    ],
  }),
  ...guards(SIGN_IN, USERS_TEST, {
    "a disabled user cannot sign in": ["if (user.disabledAt) {", "if (false) {"],
  }),
  ...guards(SESSIONS, USERS_TEST, {
    "a disabled user's session gives no access": "|| response.user.disabledAt",
  }),
  ...guards(USER_RPC, USERS_TEST, {
    "what operators do to a user is in the audit log of each account": [
      "await operatorRecorder(deps, sql, accountId, context)(change);",
      "void accountId;",
    ],
  }),
  ...guards(AUTH, SECURE_COOKIES_TEST, {
    "over TLS the session cookie needs it": ["!isPlainLoopback(publicUrl)", "false"],
  }),
  ...guards(KNOWN_BROWSER, KNOWN_BROWSER_TEST, {
    "a known browser's cookie is signed": "&& isEqual(signed, signature(name, email))",
    "a known browser's cookie is for one user": ["`${name}\\0${email.toLowerCase()}`", "name"],
    "a known browser's cookie is Secure over TLS": ["isSecure() ?", "false ?"],
  }),
  ...guards(SIGN_UP, SESSION_TEST, {
    "one of several sign-ups of an address succeeds":
      '(await hasUser(deps.sql, email)) ? new Problem("email_taken") :',
  }),
  ...guards(CHANGE_ACCOUNT, MEMBERS_TEST, {
    "a member who is removed meanwhile changes nothing": [
      `if (!current) throw new Problem("account_not_found");
    if (current.role !== role)`,
      "if (current && current.role !== role)",
    ],
    "a member who gets a smaller role meanwhile changes nothing":
      'if (current.role !== role) throw new Problem("role_required");',
  }),
  ...guards(CREATE_INVITATION, KEYS_TEST, {
    "an account has at most a hundred open invitations": [
      "if (open.length >= MAX_INVITATIONS && !isReplacement) throw",
      "if (false) throw",
    ],
  }),
];

const throttling: readonly Mutation[] = [
  ...guards(ATTEMPTS, ATTEMPTS_TEST, {
    "strangers do not delay a browser that has signed in before":
      'if (browser !== undefined) return [["known", hash("known", name, browser)]];',
    "a right password forgets the attempts before": [
      'if (kind === "pair" || kind === "known") await',
      "if (false) await",
    ],
  }),
  ...guards(CLIENT_NETWORK, CLIENT_NETWORK_TEST, {
    "clients of IPv6 are told apart by their /64": ", IPV6_SUBNET_PARTS",
  }),
  ...guards(ATTEMPT_ROWS, ATTEMPTS_TEST, {
    "delays grow": "* 2 ^ least(a.attempts - ${free}, ${MAX_DOUBLINGS})",
    "a refused attempt does not count": [
      "where a.next_at <= ${at}",
      "where a.next_at <= ${at} or a.attempts > ${free}",
    ],
    "attempts at the same time do not wait for each other": ["then ${forgottenAt}:", "then ${at}:"],
  }),
  ...guards(BEGIN_PASSKEY_SIGN_IN, PASSKEYS_TEST, {
    "questions for passkeys are counted by address":
      "await deps.signInAttempts.countAddress(request.ip);",
  }),
];

export const gatewaySignIn: readonly Mutation[] = [...mail, ...sessions, ...throttling];
