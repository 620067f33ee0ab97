/** Verifies the service's webhooks as Standard Webhooks specifies, by its own library. */
import { Webhook } from "standardwebhooks";
import type { webhooks } from "../../gen/openapi/media.ts";
import { ArgumentError, WebhookVerificationError } from "./http/errors.ts";
import type { Refined } from "./http/types.ts";

type AnyEvent = webhooks[keyof webhooks]["post"]["requestBody"]["content"]["application/json"];

/** The body of any event that the document describes: its `type` says what `data` is. */
export type WebhookEvent = WithOutcome<AnyEvent>;

/** What the end of a generation has told already. */
type WithOutcome<Event> = Event extends { type: `${string}.generation.${infer End}`; data: object }
  ? Omit<Event, "data"> & { data: Extract<Refined<Event["data"]>, { status: StatusOf<End> }> }
  : Event;
type StatusOf<End> = End extends "completed" ? "success" : End;

export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"];
const WRONG_TIME = "webhook-timestamp is not within five minutes of this machine's time.";
const NO_SIGNATURE =
  "No signature matches this body and secret. Check that the secret is that of this mode, and the body the raw one.";

/**
 * The event, if one of the signatures is valid and the attempt is at most five minutes old. `rawBody` is the body as
 * received: parsing and serialising it again invalidates the signature. Otherwise throws WebhookVerificationError;
 * answer 400 then. Events may be delivered more than once: compare the header `webhook-id`. Throws ArgumentError where
 * `secret` is none: that of the mode begins with `whsec_`.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  const webhook = webhookBy(secret);
  if (typeof rawBody !== "string" && !(rawBody instanceof Uint8Array)) {
    throw new WebhookVerificationError(
      "Pass the raw body, a string or bytes as received, not a parsed one: in Express use express.raw() for this route, elsewhere request.text().",
    );
  }
  const body = typeof rawBody === "string" ? rawBody : new TextDecoder().decode(rawBody);
  const isHeaders = (given: WebhookHeaders): given is Headers => typeof given["get"] === "function";
  const given = isHeaders(headers) ? Object.fromEntries(headers) : headers;
  const sent: Record<string, string> = {};
  // A header that was sent twice is an array, and is none of those that the service sends.
  for (const [name, value] of Object.entries(given))
    if (typeof value === "string") sent[name.toLowerCase()] = value;
  const missing = HEADERS.find((name) => !sent[name]);
  if (missing) throw new WebhookVerificationError(`The header ${missing} is missing or repeated.`);
  try {
    return webhook.verify(body, sent) as WebhookEvent;
  } catch (cause) {
    // The library says "Invalid Signature Headers" of no number, "Message timestamp too old" and "… too new".
    const isOfTime = /timestamp|Headers/.test((cause as Error).message);
    throw new WebhookVerificationError(isOfTime ? WRONG_TIME : NO_SIGNATURE, { cause });
  }
}

function webhookBy(secret: string): Webhook {
  try {
    const key = secret.replace(/^whsec_/, "");
    // The library takes the beginning of a text that is no base64.
    if (btoa(atob(key)) !== key) throw new TypeError("It is not base64.");
    return new Webhook(secret);
  } catch (cause) {
    throw new ArgumentError(
      "The secret must be the text whsec_…, all of it. Is its environment variable set?",
      { cause },
    );
  }
}
