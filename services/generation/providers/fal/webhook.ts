/** Whether a callback is fal's own: Ed25519 over its headers and body, by the keys that fal publishes. */
import { createHash, createPublicKey, verify } from "node:crypto";
import type { Clock } from "#runtime/clock.ts";
import { createApi } from "../shared/http.ts";
import { listAt, textAt } from "../shared/json.ts";
import { UpstreamError } from "../shared/outcome.ts";
import type { Callback } from "../provider.ts";

const MAX_SKEW_MS = 300_000;
const KEYS_KEPT_MS = 24 * 60 * 60 * 1000;
/** A signature by a key that we do not know makes us ask for the keys again, but not more often than this. */
const KEYS_ASKED_EVERY_MS = 60_000;
const KEYS_TIMEOUT_MS = 10_000;

/** fal publishes its keys at another host than its queue's. */
const KEYS_BASE: Record<string, string> = { "https://queue.fal.run": "https://rest.fal.ai" };

/** The keys by which callbacks are verified: the `x` of each. */
export type FalKeys = {
  known: () => Promise<readonly string[]>;
  fresh: () => Promise<readonly string[]>;
};

/** Fetches the keys when they are first needed, and keeps them for a day. */
export function falKeys(fetchKeys: () => Promise<readonly string[]>, nowMs: () => number): FalKeys {
  let kept: { keys: readonly string[]; at: number } | undefined;
  const noOlderThan = async (ms: number) => {
    if (!kept || nowMs() - kept.at >= ms) kept = { keys: await fetchKeys(), at: nowMs() };
    return kept.keys;
  };
  return {
    known: () => noOlderThan(KEYS_KEPT_MS),
    fresh: () => noOlderThan(KEYS_ASKED_EVERY_MS),
  };
}

/** Reads the published keys: of the Ed25519 ones, their `x`. The account's key is not sent there. */
export async function fetchFalKeys(baseUrl: string, clock: Clock): Promise<string[]> {
  const origin = new URL(baseUrl).origin;
  const api = createApi({ baseUrl: KEYS_BASE[origin] ?? origin, clock, headers: {} });
  const call = {
    method: "GET",
    path: "/.well-known/jwks.json",
    timeoutMs: KEYS_TIMEOUT_MS,
  } as const;
  const answer = await api.call(call, new AbortController().signal);
  if (answer.status !== 200) throw new UpstreamError("a request for its keys", answer);
  return listAt(answer.body, "keys").flatMap((key) => textAt(key, "x") ?? []);
}

/** Whether one of fal's keys signed the callback within the last five minutes. */
export async function isFalCallback(
  { headers, body }: Callback,
  keys: FalKeys,
  nowMs: number,
): Promise<boolean> {
  const timestamp = headers["x-fal-webhook-timestamp"] ?? "";
  const signature = Buffer.from(headers["x-fal-webhook-signature"] ?? "", "hex");
  const skewMs = Math.abs(nowMs - Number(timestamp) * 1000);
  if (!/^\d+$/.test(timestamp) || skewMs > MAX_SKEW_MS) return false;
  const message = [
    headers["x-fal-webhook-request-id"] ?? "",
    headers["x-fal-webhook-user-id"] ?? "",
    timestamp,
    createHash("sha256").update(body).digest("hex"),
  ].join("\n");
  const isSignedBy = (all: readonly string[]) =>
    all.some((x) => verifies(x, Buffer.from(message), signature));
  return isSignedBy(await keys.known()) || isSignedBy(await keys.fresh());
}

function verifies(x: string, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, message, key, signature);
  } catch {
    return false;
  }
}
