/** Reads the API key that a request presents, and says how it should have been sent. */
import type { FastifyRequest } from "fastify";
import { isApiKey, keyPrefix } from "../../domain/api-key.ts";
import { Problem } from "./problem.ts";

type KeyProblem = `${"missing" | "invalid" | "revoked" | "expired"}_api_key`;

const HEADER = "authorization";
/** Headers in which the keys of other APIs are sent. */
const OTHER_HEADERS = ["X-API-Key", "API-Key", "X-Goog-API-Key", "XI-API-Key"];

const FORM = "Authorization: Bearer <API key>";
const OTHER_SCHEME = `The header must be ${FORM}. Yours does not begin with Bearer.`;
const NO_KEY = `The header must be ${FORM}. Yours has no key: check that your client has one set.`;
const MORE_THAN_A_KEY = `The header must be ${FORM}, once, and have no spaces in the key.`;
const PREFIXES = [keyPrefix("live"), keyPrefix("test")];
const OTHER_KEY = `Keys of this service begin with ${PREFIXES.join(" or ")}. Yours does not.`;

/** The key, which has the form of one. Throws 401 for a request without. */
export function bearerKey(request: FastifyRequest): string {
  const [scheme = "", key = "", ...rest] = authorizationOf(request)
    .split(" ")
    .filter((part) => part !== "");
  if (scheme === "") throw unauthorized("missing_api_key", otherHeader(request));
  if (scheme.toLowerCase() !== "bearer") throw unauthorized("missing_api_key", OTHER_SCHEME);
  if (key === "") throw unauthorized("missing_api_key", NO_KEY);
  if (rest.length > 0) throw unauthorized("invalid_api_key", MORE_THAN_A_KEY);
  const isOwn = PREFIXES.some((prefix) => key.startsWith(prefix));
  if (!isApiKey(key)) throw unauthorized("invalid_api_key", isOwn ? undefined : OTHER_KEY);
  return key;
}

/** `message` defaults to the document's. */
export function unauthorized(code: KeyProblem, message?: string): Problem {
  const headers = { "WWW-Authenticate": "Bearer" };
  return new Problem(code, { headers, ...(message === undefined ? {} : { message }) });
}

function otherHeader({ headers }: FastifyRequest): string | undefined {
  const found = OTHER_HEADERS.find((name) => headers[name.toLowerCase()] !== undefined);
  return found && `Send your API key in the header ${FORM}, not in ${found}.`;
}

/** Joins repeated headers, which makes them an invalid key; Node would silently drop the second. */
function authorizationOf({ raw: { rawHeaders } }: FastifyRequest): string {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const isIts = name.length === HEADER.length && name.toLowerCase() === HEADER;
    if (isIts) values.push(rawHeaders[index + 1] ?? "");
  }
  return values.join(", ").trim();
}
