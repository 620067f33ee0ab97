/** One attempt to deliver a webhook. */
import type { KeyObject } from "node:crypto";
import type { Dispatcher } from "undici";
import type { Clock } from "#runtime/clock.ts";
import { guardedRequest } from "../egress/request.ts";
import type { Attempt } from "../store/webhook-attempts.ts";
import type { ClaimedDelivery } from "../store/webhook-claims.ts";
import { signedHeaders } from "../domain/signature.ts";

const DEADLINE_MS = 15_000;
const USER_AGENT = "Media-Webhooks/1.0";
const KEPT_CHARACTERS = 2_000;
const MAX_BYTES_OF_A_CHARACTER = 4;

/** What came of an attempt; `retryAfter` is the header as it came. */
export type Answer = Attempt & { retryAfter?: string | undefined };

/** Posts the delivery's bytes, signed for this moment. Never rejects. */
export async function sendOnce(
  { agent, clock }: { agent: Dispatcher; clock: Clock },
  delivery: ClaimedDelivery,
  keys: readonly KeyObject[],
): Promise<Answer> {
  const at = clock.now();
  const { event_id: id, body, url } = delivery;
  const timestampSeconds = Math.floor(at.getTime() / 1000);
  const result = await guardedRequest(agent, {
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": USER_AGENT,
      ...signedHeaders(keys, { id, timestampSeconds, body }),
    },
    body,
    deadlineMs: DEADLINE_MS,
    maxResponseBytes: KEPT_CHARACTERS * MAX_BYTES_OF_A_CHARACTER,
  });
  const durationMs = clock.now().getTime() - at.getTime();
  if (!result.ok) return { at, durationMs, error: result.error };
  const retryAfter = result.headers["retry-after"];
  const responseBody = keptText(result.body);
  return { at, durationMs, statusCode: result.statusCode, responseBody, retryAfter };
}

/** The beginning of a response as text that a database can keep. */
function keptText(bytes: Buffer): string {
  const text = bytes.toString("utf8").replaceAll("\0", "\uFFFD");
  return Array.from(text).slice(0, KEPT_CHARACTERS).join("");
}
