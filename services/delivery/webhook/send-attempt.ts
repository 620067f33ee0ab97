/** Makes one attempt to deliver a webhook. */
import type { KeyObject } from "node:crypto";
import type { Dispatcher } from "undici";
import type { Clock } from "#runtime/clock.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { SentAttempt } from "../domain/outcome.ts";
import { signedHeaders } from "../domain/signature.ts";
import { guardedRequest } from "../egress/request.ts";

const DEADLINE_MS = 15_000;
const USER_AGENT = "Media-Webhooks/1.0";
const MAX_KEPT_CHARACTERS = 2_000;
const MAX_BYTES_PER_CHARACTER = 4;

/** Posts the delivery's bytes with a signature for the current time, within 15 s in all. Never rejects. */
export async function sendAttempt(
  { agent, clock }: { agent: Dispatcher; clock: Clock },
  delivery: ClaimedDelivery,
  keys: readonly KeyObject[],
): Promise<SentAttempt> {
  const at = clock.now();
  // The clock follows that of the database, which may go back after a failover.
  const startedMs = clock.monotonicMs();
  const { eventId: id, body, url } = delivery;
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
    maxResponseBytes: MAX_KEPT_CHARACTERS * MAX_BYTES_PER_CHARACTER,
  });
  const durationMs = Math.round(clock.monotonicMs() - startedMs);
  if (!result.ok) return { at, durationMs, error: result.error };
  const retryAfter = result.headers["retry-after"];
  const responseBody = keptText(result.body);
  return { at, durationMs, statusCode: result.statusCode, responseBody, retryAfter };
}

/** The first characters of a response body, with the NUL characters replaced that Postgres cannot store. */
function keptText(bytes: Buffer): string {
  const text = bytes.toString("utf8").replaceAll("\0", "\uFFFD");
  return Array.from(text).slice(0, MAX_KEPT_CHARACTERS).join("");
}
