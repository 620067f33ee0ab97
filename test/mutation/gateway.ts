/** The guards of keys, rate limits and the dashboard, and the tests that need them. */
import { gatewaySignIn } from "./gateway-sign-in.ts";
import { gatewayWaysToSignIn } from "./gateway-ways-to-sign-in.ts";
import type { Mutation } from "./mutation.ts";

const AUTHENTICATE = "services/gateway/edge/http/authenticate.ts";
const KEY_CACHE = "services/gateway/accounts/key-cache.ts";
const ACCESS = "services/gateway/dashboard/session/access.ts";
const ACCEPT_INVITATION = "services/gateway/dashboard/members/invitations.ts";
const CHANGE_ACCOUNT = "services/gateway/dashboard/session/change-account.ts";
const END_MEMBERSHIP = "services/gateway/dashboard/members/members.ts";
const SAME_ORIGIN = "services/gateway/dashboard/session/access.ts";
const SIGN_IN_ATTEMPTS = "services/gateway/dashboard/session/sign-in-attempts.ts";
const API_KEY = "services/gateway/domain/api-key.ts";
const CALLBACKS = "services/gateway/edge/http/callbacks.ts";
const CREATE = "services/gateway/edge/operations/create.ts";
const UPLOAD = "services/gateway/edge/http/upload.ts";
const LIMIT_REQUEST = "services/gateway/edge/rate-limit/limit-request.ts";
const ACCOUNT_KEYS = "services/gateway/store/account-keys.ts";
const API_KEYS = "services/gateway/store/api-keys.ts";
const INVITATIONS = "services/gateway/store/invitations.ts";
const WAITING_REQUESTS = "services/gateway/edge/waiting/waiting-requests.ts";
const RATE_LIMITS = "services/gateway/store/rate-limits.ts";

const ACCOUNT_SERVICE_TEST = "test/gateway/rpc/account-service.test.ts";
const API_KEY_TEST = "test/gateway/domain/api-key.test.ts";
const AUTHENTICATION_TEST = "test/gateway/accounts/authentication.test.ts";
const CALLBACKS_TEST = "test/gateway/edge/http/callbacks.test.ts";
const CREATE_VIDEO_GENERATION_TEST = "test/gateway/edge/operations/create-video-generation.test.ts";
const DASHBOARD_ACCESS_TEST = "test/gateway/dashboard/session/access.test.ts";
const AUDIT_LOG_TEST = "test/gateway/dashboard/audit-log.test.ts";
const DASHBOARD_KEYS_TEST = "test/gateway/dashboard/keys.test.ts";
const DASHBOARD_ROLES_TEST = "test/gateway/dashboard/roles.test.ts";
const DASHBOARD_MEMBERS_TEST = "test/gateway/dashboard/members.test.ts";
const DASHBOARD_SESSION_TEST = "test/gateway/dashboard/session.test.ts";
const PREFER_WAIT_TEST = "test/gateway/edge/waiting/prefer-wait.test.ts";
const UPLOAD_TEST = "test/gateway/edge/http/upload.test.ts";
const WAITING_REQUESTS_TEST = "test/gateway/edge/waiting/waiting-requests.test.ts";
const KEY_CACHE_TEST = "test/gateway/accounts/key-cache.test.ts";
const RATE_LIMIT_REPLICAS_TEST = "test/gateway/edge/rate-limit/replicas.test.ts";
const RATE_LIMIT_TEST = "test/gateway/edge/rate-limit/rate-limit.test.ts";

export const gateway: readonly Mutation[] = [
  ...gatewaySignIn,
  ...gatewayWaysToSignIn,
  {
    guard: "nobody is mailed an alert twice",
    file: "services/gateway/accounts/send-alerts.ts",
    old: "    await recordAlertMail(sql, accountId, eventId, userId, clock.now());\n",
    new: "",
    test: "test/gateway/dashboard/limits.test.ts",
  },
  {
    guard: "files that one account sends take a part of the memory",
    file: UPLOAD,
    old: " || held + bytes > MAX_ACCOUNT_BYTES",
    new: "",
    test: UPLOAD_TEST,
  },
  {
    guard: "files that all send take no more than the memory for them",
    file: UPLOAD,
    old: "total + bytes > MAX_BYTES || ",
    new: "",
    test: UPLOAD_TEST,
  },
  {
    guard: "a large body is checked up to its first fault",
    file: "services/gateway/edge/validation/checker.ts",
    old: "bytes > MAX_BYTES_FOR_ALL_FAULTS",
    new: "false",
    test: "test/gateway/edge/validation/request-body.test.ts",
  },
  {
    guard: "a form has few parts",
    file: "services/gateway/edge/http/form.ts",
    old: '    if (parts.length === MAX_FORM_PARTS) return "too_large";\n',
    new: "",
    test: UPLOAD_TEST,
  },
  {
    guard: "every tab is told why its session has ended",
    file: "services/gateway/dashboard/sign-in/sessions.ts",
    old: "if (!endedBecause) setCookies",
    new: "setCookies",
    test: DASHBOARD_SESSION_TEST,
  },
  {
    guard: "limits of Tokens are set for live keys only",
    file: "services/gateway/store/account-keys.ts",
    old: " and id = ${id} and mode = 'live'`",
    new: " and id = ${id}`",
    test: "test/gateway/dashboard/limits.test.ts",
  },
  {
    guard: "a revoked key is refused",
    file: AUTHENTICATE,
    old: `  if (known.revokedAt) throw unauthorized("revoked_api_key");
`,
    new: "",
    test: AUTHENTICATION_TEST,
  },
  {
    guard: "an expired key is refused",
    file: AUTHENTICATE,
    old: 'if (known.expiresAt && known.expiresAt <= deps.clock.now()) throw unauthorized("expired_api_key");',
    new: "",
    test: AUTHENTICATION_TEST,
  },
  {
    guard: "a suspended account creates nothing",
    file: AUTHENTICATE,
    old: `  if (account.suspendedAt) return "account_suspended";
`,
    new: "",
    test: AUTHENTICATION_TEST,
  },
  {
    guard: "live needs production access",
    file: AUTHENTICATE,
    old: `  if (mode === "live" && !account.productionGranted) return "production_access_required";
`,
    new: "",
    test: AUTHENTICATION_TEST,
  },
  {
    guard: "a live key needs production access",
    file: API_KEYS,
    old: "and (production_granted or ${key.mode} = 'test')",
    new: "",
    test: ACCOUNT_SERVICE_TEST,
  },
  {
    guard: "a cached key is trusted for a second",
    file: KEY_CACHE,
    old: "const TRUST_MS = 1_000;",
    new: "const TRUST_MS = 60_000;",
    test: KEY_CACHE_TEST,
  },
  {
    guard: "a key's checksum",
    file: API_KEY,
    old: "return text.slice(-CHECKSUM_CHARACTERS) === checksum(text.slice(0, -CHECKSUM_CHARACTERS));",
    new: "return true;",
    test: API_KEY_TEST,
  },
  {
    guard: "a key is revoked only in its account",
    file: ACCOUNT_KEYS,
    old: "where account_id = ${accountId} and id = ${id} and revoked_at is null",
    new: "where id = ${id} and revoked_at is null",
    test: DASHBOARD_KEYS_TEST,
  },
  {
    guard: "a request over its limit is refused",
    file: LIMIT_REQUEST,
    old: "if (decision.isAdmitted) return undefined;",
    new: "return undefined;",
    test: RATE_LIMIT_TEST,
  },
  {
    guard: "a draw locks its bucket",
    file: RATE_LIMITS,
    old: `
      for update of b
`,
    new: `
`,
    test: RATE_LIMIT_REPLICAS_TEST,
  },
  {
    guard: "a draw grants no more than the bucket holds",
    file: RATE_LIMITS,
    old: `least(
          wanted,
`,
    new: `greatest(
          wanted,
`,
    test: RATE_LIMIT_REPLICAS_TEST,
  },
  {
    guard: "an idempotency key is of one account, mode and operation",
    file: CREATE,
    old: "[accountId, mode, operationId, key]",
    new: "[key]",
    test: CREATE_VIDEO_GENERATION_TEST,
  },
  {
    guard: "a restricted caller may only replay",
    file: CREATE,
    old: "const replayOnly = restriction !== undefined;",
    new: "const replayOnly = false;",
    test: AUTHENTICATION_TEST,
  },
  {
    guard: "a dashboard request needs a session",
    file: ACCESS,
    old: 'if (!request.user) throw new Problem("session_required");',
    new: "",
    test: DASHBOARD_ACCESS_TEST,
  },
  {
    guard: "a dashboard request needs membership",
    file: ACCESS,
    old: 'if (!found) throw new Problem("account_not_found");',
    new: "",
    test: DASHBOARD_ACCESS_TEST,
  },
  {
    guard: "an operation is for its roles",
    file: ACCESS,
    old: 'if (!rule?.roles.has(membership.role)) throw new Problem("role_required");',
    new: "",
    test: DASHBOARD_ROLES_TEST,
  },
  {
    guard: "a change comes from the dashboard's own pages",
    file: SAME_ORIGIN,
    old: 'if (site !== undefined) return site === "same-origin";',
    new: "if (site !== undefined) return true;",
    test: DASHBOARD_ACCESS_TEST,
  },
  {
    guard: "an account keeps an owner",
    file: END_MEMBERSHIP,
    old: `  if (owners.length === 1 && owners[0] === userId) throw new Problem("last_owner");
`,
    new: "",
    test: DASHBOARD_MEMBERS_TEST,
  },
  {
    guard: "an invitation is for its e-mail",
    file: ACCEPT_INVITATION,
    old: `  if (invitation.email !== user.email.toLowerCase()) throw new Problem("wrong_invitee");
`,
    new: "",
    test: DASHBOARD_MEMBERS_TEST,
  },
  {
    guard: "an invitation is accepted once",
    file: ACCEPT_INVITATION,
    old: "    if (!deleted) return false;\n",
    new: "",
    test: DASHBOARD_MEMBERS_TEST,
  },
  {
    guard: "an invitation ends",
    file: INVITATIONS,
    old: "where i.token_hash = decode(${tokenHash}, 'hex') and i.expires_at > ${at}`",
    new: "where i.token_hash = decode(${tokenHash}, 'hex')`",
    test: DASHBOARD_MEMBERS_TEST,
  },
  {
    guard: "guessing passwords is limited",
    file: SIGN_IN_ATTEMPTS,
    old: "if (nextAt) throw",
    new: "if (false) throw",
    test: DASHBOARD_SESSION_TEST,
  },
  {
    guard: "credentials are not passed on with a callback",
    file: CALLBACKS,
    old: "&& !DROPPED_HEADERS.has(name) ?",
    new: "?",
    test: CALLBACKS_TEST,
  },
  {
    guard: "an account's waiting requests are limited",
    file: WAITING_REQUESTS,
    old: "if ((countOf.get(name.accountId) ?? 0) >= MAX_WAITING_PER_ACCOUNT) return undefined;",
    new: "",
    test: PREFER_WAIT_TEST,
  },
  {
    guard: "a process looks rarely for ends while events arrive",
    file: WAITING_REQUESTS,
    old: "(hasEvents() ? LOOK_MS_WITH_EVENTS : LOOK_MS)",
    new: "LOOK_MS",
    test: WAITING_REQUESTS_TEST,
  },
  {
    guard: "every POST of the dashboard counts against the rate limit",
    file: ACCESS,
    old: `return method === "POST" ? limitRequest(request, reply) : undefined;`,
    new: "return undefined;",
    test: DASHBOARD_ACCESS_TEST,
  },
  {
    guard: "a callback's token is checked before its body is read",
    file: CALLBACKS,
    old: "await generation.checkCallback({ token }).catch(notFound);",
    new: "",
    test: CALLBACKS_TEST,
  },
  {
    guard: "keys that are created at the same time are counted",
    file: CHANGE_ACCOUNT,
    old: "await lockAccount(sql, accountId);",
    new: "",
    test: DASHBOARD_KEYS_TEST,
  },
  {
    guard: "a role that was taken away meanwhile changes nothing",
    file: CHANGE_ACCOUNT,
    old: 'if (current.role !== role) throw new Problem("role_required");',
    new: "",
    test: DASHBOARD_ROLES_TEST,
  },
  {
    guard: "a removed member's invitations are withdrawn",
    file: END_MEMBERSHIP,
    old: "of await deleteInvitationsOf(sql, accountId, userId)",
    new: "of await Promise.resolve([] as { id: string; email: string; role: string }[])",
    test: AUDIT_LOG_TEST,
  },
  {
    guard: "a change and its entry are one transaction",
    file: CHANGE_ACCOUNT,
    old: "recorder(deps, sql, accountId, originOf(userOf(request), request.ip)));",
    new: "recorder(deps, deps.sql, accountId, originOf(userOf(request), request.ip)));",
    test: AUDIT_LOG_TEST,
  },
  {
    guard: "the audit log of an account is its own",
    file: "services/gateway/store/audit-log.ts",
    old: "where account_id = ${accountId}\n      ${action",
    new: "where true\n      ${action",
    test: AUDIT_LOG_TEST,
  },
  {
    guard: "accounts that are created at the same time are counted",
    file: "services/gateway/dashboard/members/account.ts",
    old: "await lockUser(transaction, user.id);",
    new: "",
    test: DASHBOARD_KEYS_TEST,
  },
];
