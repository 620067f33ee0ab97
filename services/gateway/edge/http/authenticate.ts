/** Authenticates API requests: their key, its account and mode, and what the key may do. */
import type { FastifyRequest } from "fastify";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { ModeName, KindName } from "#vocabulary/names.ts";
import { isPermitted, permittedText, publicPermissions } from "../../domain/key-permissions.ts";
import { hashApiKey, isApiKey, keyPrefix } from "../../domain/api-key.ts";
import { Problem } from "./problem.ts";
import type * as store from "../../store/store.ts";
import type { FindKey, KeyUses } from "../../accounts/keys.ts";
import { isSafe } from "../../domain/requests.ts";
import type { Caller } from "./request-state.ts";

export type AuthenticateDeps = { findKey: FindKey; keyUses: KeyUses; clock: Clock; log: Log };

/** Sets the caller that the request's key identifies. Throws 401 for a bad key, 503 when keys cannot be verified. */
export async function authenticate(deps: AuthenticateDeps, request: FastifyRequest) {
  const keyHash = hashApiKey(bearerKey(request));
  request.admitAgain = async () => void (request.caller = await callerOfKey(deps, keyHash));
  await request.admitAgain();
}

async function callerOfKey(deps: AuthenticateDeps, keyHash: string): Promise<Caller> {
  const known = await deps.findKey(keyHash).catch((error: unknown) => {
    deps.log.error({ err: error }, "API key lookup unavailable");
    throw new Problem("unavailable");
  });
  if (!known) throw unauthorized("invalid_api_key");
  if (known.deletedAt) throw unauthorized("revoked_api_key", ACCOUNT_DELETED);
  if (known.revokedAt) throw unauthorized("revoked_api_key");
  if (known.expiresAt && known.expiresAt <= deps.clock.now()) throw unauthorized("expired_api_key");
  deps.keyUses.record(known);
  return { ...callerFor(known, known.mode), keyId: known.id, permissions: known };
}

export function callerFor(
  account: store.AccountPermissions & { accountId: string },
  mode: ModeName,
): Caller {
  const { accountId, maxUnfinished, createsPerMinute: creates, readsPerMinute: reads } = account;
  const restriction = restrictionOf(account, mode);
  return { accountId, mode, restriction, limits: { creates, reads }, maxUnfinished };
}

/** Why the account may not create generations in `mode`; undefined when it may. */
function restrictionOf(account: store.AccountPermissions, mode: ModeName): Caller["restriction"] {
  if (account.suspendedAt) return "account_suspended";
  if (mode === "live" && !account.productionGranted) return "production_access_required";
  return undefined;
}

type KeyProblem = `${"missing" | "invalid" | "revoked" | "expired"}_api_key`;

/** Headers in which the keys of other APIs are sent. */
const OTHER_HEADERS = ["X-API-Key", "API-Key", "X-Goog-API-Key", "XI-API-Key"];

const FORM = "Authorization: Bearer <API key>";
const OTHER_SCHEME = `The header must be ${FORM}. Yours does not begin with Bearer.`;
const NO_KEY = `The header must be ${FORM}. Yours has no key: check that your client has one set.`;
const ACCOUNT_DELETED =
  "The account of this key was deleted. Operations can restore it for 30 days.";
const MORE_THAN_A_KEY = `The header must be ${FORM}, once, and have no spaces in the key.`;
const QUOTED = `The header must be ${FORM}. Leave out the quotation marks around the key.`;
const NOT_REPLACED = `The header must be ${FORM}. Yours has the name of a variable that was not replaced: a shell does so within double quotation marks.`;
const PREFIXES = [keyPrefix("live"), keyPrefix("test")];
const OTHER_KEY = `Keys of this service begin with ${PREFIXES.join(" or ")}. Yours does not.`;

/** The key, which has the form of one. Throws 401 for a request without. */
function bearerKey(request: FastifyRequest): string {
  const [scheme = "", key = "", ...rest] = authorizationOf(request)
    .split(" ")
    .filter((part) => part !== "");
  if (scheme === "") throw unauthorized("missing_api_key", otherHeader(request));
  if (scheme.toLowerCase() !== "bearer") throw unauthorized("missing_api_key", OTHER_SCHEME);
  if (key === "") throw unauthorized("missing_api_key", NO_KEY);
  if (/^["'`]/.test(key)) throw unauthorized("invalid_api_key", QUOTED);
  if (key.startsWith("$")) throw unauthorized("invalid_api_key", NOT_REPLACED);
  if (rest.length > 0) throw unauthorized("invalid_api_key", MORE_THAN_A_KEY);
  if (isApiKey(key)) return key;
  const isOwn = PREFIXES.some((prefix) => key.startsWith(prefix));
  throw unauthorized("invalid_api_key", isOwn ? undefined : OTHER_KEY);
}

/** `message` defaults to the document's. */
function unauthorized(code: KeyProblem, message?: string): Problem {
  const headers = { "WWW-Authenticate": "Bearer" };
  return new Problem(code, { headers, ...(message === undefined ? {} : { message }) });
}

function otherHeader({ headers }: FastifyRequest): string | undefined {
  const found = OTHER_HEADERS.find((name) => headers[name.toLowerCase()] !== undefined);
  return found && `Send your API key in the header ${FORM}, not in ${found}.`;
}

/** Joins repeated headers, which makes them an invalid key; Node would silently drop the second. */
function authorizationOf({ raw: { rawHeaders } }: FastifyRequest): string {
  const isIts = (_value: string, at: number) =>
    at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "authorization";
  return rawHeaders.filter(isIts).join(", ").trim();
}

/** The operations of both documents that make generations, and the tools that do. */
export const KINDS: Readonly<Record<string, KindName>> = {
  createVideoGeneration: "video",
  createImageGeneration: "image",
  openaiCreateVideo: "video",
  openaiCreateImage: "image",
  openaiEditImage: "image",
  generate_video: "video",
  generate_image: "image",
};

/** Throws unless the caller's key may do what the request asks for, whose body has been checked. */
export function requirePermission({ caller, method, routeOptions, body }: FastifyRequest): void {
  const permissions = caller?.permissions;
  const kind = KINDS[routeOptions.config.operationId ?? ""];
  const creates = kind && { kind, model: (body as { model: string }).model };
  if (!permissions || isPermitted(permissions, { isRead: isSafe(method), creates })) return;
  const message = `This key may ${permittedText(permissions)}. Use another key, or change in the dashboard what this one may do.`;
  throw new Problem("key_not_permitted", { message, details: publicPermissions(permissions) });
}
