/** Verifies the service's webhooks as Standard Webhooks specifies, with WebCrypto only. */
import type { webhooks } from "../../gen/openapi/media.ts";
import { ArgumentError, WebhookVerificationError } from "./http/errors.ts";

type AnyEvent = webhooks[keyof webhooks]["post"]["requestBody"]["content"]["application/json"];

/** The body of any event that the document describes: its `type` says what `data` is. */
export type WebhookEvent = WithOutcome<AnyEvent>;

/** What the end of a generation has told already. */
type WithOutcome<Event> = Event extends {
  type: `${string}.failed`;
  data: { error?: infer Reason };
}
  ? Event & { data: { status: "failed"; error: NonNullable<Reason> } }
  : Event extends { type: `${string}.completed` }
    ? Event & { data: { status: "success" } }
    : Event extends { type: `${string}.canceled` }
      ? Event & { data: { status: "canceled" } }
      : Event;

export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** The time now, in milliseconds since 1970: tests replace it. Default: `Date.now`. */
  nowMs?: () => number;
  /** How old an attempt may be, or how far in the future. Default 300. */
  toleranceSeconds?: number;
};

const SECRET_PREFIX = "whsec_";
const TOLERANCE_SECONDS = 5 * 60;
const RAW_BODY =
  "Pass the raw body, a string or bytes as received, not a parsed one: in Express use express.raw() for this route, elsewhere request.text().";

/**
 * The event, if one of the signatures is valid and the attempt is at most five minutes old. `rawBody` is the body as
 * received: parsing and serialising it again invalidates the signature. Otherwise throws WebhookVerificationError;
 * answer 400 then. Events may be delivered more than once: compare the header `webhook-id`. `secret` is the account's of that
 * mode, which begins with `whsec_`: where there is none it throws ArgumentError.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { nowMs = Date.now, toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (!secret) {
    throw new ArgumentError(
      "verifyWebhook has no secret. Give the account's, which begins with whsec_.",
    );
  }
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw new WebhookVerificationError(RAW_BODY);
  }
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("webhook-timestamp is not a time in Unix seconds.");
  }
  if (Math.abs(Math.floor(nowMs() / 1_000) - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError("webhook-timestamp is too far from the current time.");
  }
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const key = await hmacKey(secret);
  if (!(await isAnyValid(key, signatures, signed))) {
    throw new WebhookVerificationError("No signature matches this body and secret.");
  }
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

/** Whether one of the signatures is valid; `subtle.verify` compares in constant time. */
async function isAnyValid(key: Key, signatures: string, signed: Bytes): Promise<boolean> {
  const results = signatures.split(" ").map(async (versioned) => {
    const [version, base64 = ""] = versioned.split(",");
    const signature = version === "v1" ? decodeBase64(base64) : undefined;
    return signature ? crypto.subtle.verify("HMAC", key, signature, signed) : false;
  });
  return (await Promise.all(results)).includes(true);
}

async function hmacKey(secret: string): Promise<Key> {
  const isPrefixed = secret.startsWith(SECRET_PREFIX);
  const bytes = decodeBase64(isPrefixed ? secret.slice(SECRET_PREFIX.length) : secret);
  if (!bytes || bytes.length === 0) {
    throw new WebhookVerificationError(
      "The secret is not valid: copy all of it, including whsec_.",
    );
  }
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookVerificationError(`The header ${name} is missing or repeated.`);
}

function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers["get"] === "function";
}

type Bytes = Uint8Array<ArrayBuffer>;
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function decodeBase64(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Bytes {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
