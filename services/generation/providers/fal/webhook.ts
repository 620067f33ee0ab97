/** Verifies fal's callbacks: Ed25519 signatures of headers and body, by the keys that fal publishes. */
import { createHash, createPublicKey, verify } from "node:crypto";
import type { Clock } from "#runtime/clock.ts";
import { createApi } from "../shared/http.ts";
import { listAt, textAt } from "../shared/json.ts";
import { UpstreamError } from "../shared/outcome.ts";
import type { Callback } from "../provider.ts";

const MAX_SKEW_MS = 300_000;
const KEYS_KEPT_MS = 24 * 60 * 60 * 1000;
/** A signature by an unknown key refetches the keys, at most once per this interval. */
const MIN_REFETCH_MS = 60_000;
const KEYS_TIMEOUT_MS = 10_000;

/** fal publishes its keys on a different host from its queue. */
const KEYS_BASE: Record<string, string> = { "https://queue.fal.run": "https://rest.fal.ai" };

/** The public keys that verify callbacks, each as the `x` of its JWK. */
export type FalKeys = {
  known: () => Promise<readonly string[]>;
  fresh: () => Promise<readonly string[]>;
};

/** Fetches the keys at first use and keeps them for a day. */
export function falKeys(fetchKeys: () => Promise<readonly string[]>, nowMs: () => number): FalKeys {
  let kept: { keys: readonly string[]; at: number } | undefined;
  const noOlderThan = async (ms: number) => {
    if (!kept || nowMs() - kept.at >= ms) kept = { keys: await fetchKeys(), at: nowMs() };
    return kept.keys;
  };
  return {
    known: () => noOlderThan(KEYS_KEPT_MS),
    fresh: () => noOlderThan(MIN_REFETCH_MS),
  };
}

/** Fetches the published keys, each as its `x`. The account's key is not sent to that host. */
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

/** True if one of fal's keys signed the callback within the last five minutes. */
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
