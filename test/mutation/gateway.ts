/** The guards of keys, rate limits and the dashboard, and the tests that need them. */
import { gatewaySignIn } from "./gateway-sign-in.ts";
import { gatewayWaysToSignIn } from "./gateway-ways-to-sign-in.ts";
import { guards, type Mutation } from "./mutation.ts";

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
  ...guards("services/gateway/accounts/send-alerts.ts", "test/gateway/dashboard/limits.test.ts", {
    "nobody is mailed an alert twice":
      "await recordAlertMail(sql, accountId, eventId, userId, clock.now());",
  }),
  ...guards(UPLOAD, UPLOAD_TEST, {
    "files that one account sends take a part of the memory": "|| held + bytes > MAX_ACCOUNT_BYTES",
    "files that all send take no more than the memory for them": "total + bytes > MAX_BYTES ||",
  }),
  ...guards(
    "services/gateway/edge/validation/checker.ts",
    "test/gateway/edge/validation/request-body.test.ts",
    {
      "a large body is checked up to its first fault": [
        "bytes > MAX_BYTES_FOR_ALL_FAULTS",
        "false",
      ],
    },
  ),
  ...guards("services/gateway/edge/http/form.ts", UPLOAD_TEST, {
    "a form has few parts": 'if (parts.length === maxParts) return "too_large";',
  }),
  ...guards("services/gateway/dashboard/sign-in/sessions.ts", DASHBOARD_SESSION_TEST, {
    "every tab is told why its session has ended": "if (!endedBecause)",
  }),
  ...guards("services/gateway/store/account-keys.ts", "test/gateway/dashboard/limits.test.ts", {
    "limits of Tokens are set for live keys only": "and mode = 'live'",
  }),
  ...guards(AUTHENTICATE, AUTHENTICATION_TEST, {
    "a revoked key is refused": 'if (known.revokedAt) throw unauthorized("revoked_api_key");',
    "an expired key is refused":
      'if (known.expiresAt && known.expiresAt <= deps.clock.now()) throw unauthorized("expired_api_key");',
    "a suspended account creates nothing": 'if (account.suspendedAt) return "account_suspended";',
    "live needs production access":
      'if (mode === "live" && !account.productionGranted) return "production_access_required";',
  }),
  ...guards(API_KEYS, ACCOUNT_SERVICE_TEST, {
    "a live key needs production access": "and (production_granted or ${key.mode} = 'test')",
  }),
  ...guards(KEY_CACHE, KEY_CACHE_TEST, {
    "a cached key is trusted for a second": ["const TRUST_MS = 1_000;", "const TRUST_MS = 60_000;"],
  }),
  ...guards(API_KEY, API_KEY_TEST, {
    "a key's checksum": [
      "return text.slice(-CHECKSUM_CHARACTERS) === checksum(text.slice(0, -CHECKSUM_CHARACTERS));",
      "return true;",
    ],
  }),
  ...guards(ACCOUNT_KEYS, DASHBOARD_KEYS_TEST, {
    "a key is revoked only in its account": [
      `revoked_at = \${at}
    where account_id = \${accountId} and id = \${id}`,
      `revoked_at = \${at}
    where id = \${id}`,
    ],
  }),
  ...guards(LIMIT_REQUEST, RATE_LIMIT_TEST, {
    "a request over its limit is refused": "if (decision.isAdmitted)",
  }),
  ...guards(RATE_LIMITS, RATE_LIMIT_REPLICAS_TEST, {
    "a draw locks its bucket": "for update of b",
    "a draw grants no more than the bucket holds": [
      `least(
          wanted,`,
      `greatest(
          wanted,`,
    ],
  }),
  ...guards(CREATE, CREATE_VIDEO_GENERATION_TEST, {
    "an idempotency key is of one account, mode and operation": "accountId, mode, operationId,",
  }),
  ...guards(CREATE, AUTHENTICATION_TEST, {
    "a restricted caller may only replay": ["= restriction !== undefined;", "= false;"],
  }),
  ...guards(ACCESS, DASHBOARD_ACCESS_TEST, {
    "a dashboard request needs a session":
      'if (!request.user) throw new Problem("session_required");',
    "a dashboard request needs membership": 'if (!found) throw new Problem("account_not_found");',
    "every POST of the dashboard counts against the rate limit":
      'method === "POST" ? limitRequest(request, reply) :',
  }),
  ...guards(ACCESS, DASHBOARD_ROLES_TEST, {
    "an operation is for its roles":
      'if (!rule?.roles.has(membership.role)) throw new Problem("role_required");',
  }),
  ...guards(SAME_ORIGIN, DASHBOARD_ACCESS_TEST, {
    "a change comes from the dashboard's own pages": ['site === "same-origin";', "true;"],
  }),
  ...guards(END_MEMBERSHIP, DASHBOARD_MEMBERS_TEST, {
    "an account keeps an owner":
      'if (owners.length === 1 && owners[0] === userId) throw new Problem("last_owner");',
  }),
  ...guards(ACCEPT_INVITATION, DASHBOARD_MEMBERS_TEST, {
    "an invitation is for its e-mail":
      'if (invitation.email !== user.email.toLowerCase()) throw new Problem("wrong_invitee");',
    "an invitation is accepted once": "if (!deleted) return false;",
  }),
  ...guards(INVITATIONS, DASHBOARD_MEMBERS_TEST, {
    "an invitation ends": "and i.expires_at > ${at}",
  }),
  ...guards(SIGN_IN_ATTEMPTS, DASHBOARD_SESSION_TEST, {
    "guessing passwords is limited": ["if (nextAt) throw", "if (false) throw"],
  }),
  ...guards(CALLBACKS, CALLBACKS_TEST, {
    "credentials are not passed on with a callback": "&& !DROPPED_HEADERS.has(name)",
    "a callback's token is checked before its body is read":
      "await generation.checkCallback({ token }).catch(notFound);",
  }),
  ...guards(WAITING_REQUESTS, PREFER_WAIT_TEST, {
    "an account's waiting requests are limited":
      "if ((countOf.get(name.accountId) ?? 0) >= MAX_WAITING_PER_ACCOUNT) return undefined;",
  }),
  ...guards(WAITING_REQUESTS, WAITING_REQUESTS_TEST, {
    "a process looks rarely for ends while events arrive": [
      "(hasEvents() ? LOOK_MS_WITH_EVENTS : LOOK_MS)",
      "LOOK_MS",
    ],
  }),
  ...guards(CHANGE_ACCOUNT, DASHBOARD_KEYS_TEST, {
    "keys that are created at the same time are counted": "await lockAccount(sql, accountId);",
  }),
  ...guards(CHANGE_ACCOUNT, DASHBOARD_ROLES_TEST, {
    "a role that was taken away meanwhile changes nothing":
      'if (current.role !== role) throw new Problem("role_required");',
  }),
  ...guards(END_MEMBERSHIP, AUDIT_LOG_TEST, {
    "a removed member's invitations are withdrawn": [
      "of await deleteInvitationsOf(sql, accountId, userId)",
      "of await Promise.resolve([] as { id: string; email: string; role: string }[])",
    ],
  }),
  ...guards(CHANGE_ACCOUNT, AUDIT_LOG_TEST, {
    "a change and its entry are one transaction": [
      "recorder(deps, sql, accountId, originOf(userOf(request), request.ip)));",
      "recorder(deps, deps.sql, accountId, originOf(userOf(request), request.ip)));",
    ],
  }),
  ...guards("services/gateway/store/audit-log.ts", AUDIT_LOG_TEST, {
    "the audit log of an account is its own": [
      `where account_id = \${accountId}
      \${action`,
      `where true
      \${action`,
    ],
  }),
  ...guards("services/gateway/dashboard/members/account.ts", DASHBOARD_KEYS_TEST, {
    "accounts that are created at the same time are counted":
      "await lockUser(transaction, user.id);",
  }),
];
