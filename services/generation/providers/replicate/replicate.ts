/** The adapter to Replicate, where both videos and images are predictions. */
import type { Adapter } from "../shared/adapter.ts";
import { withRetryAfter } from "../shared/asked-wait.ts";
import { callbackJson } from "../shared/callback-body.ts";
import { createApi } from "../shared/http.ts";
import { textAt } from "../shared/json.ts";
import { checkOnce, sourceAt, submitOnce, UpstreamError } from "../shared/outcome.ts";
import { replicateRefusal } from "./errors.ts";
import { findPrediction } from "./find.ts";
import { predictionState } from "./prediction.ts";
import { createCall, markOf, replicateCarries } from "./request.ts";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Callback } from "../provider.ts";

/** `callbackSecret` is the account's `whsec_` secret; without it every callback is refused. */
export const replicateProvider: Adapter = ({ baseUrl, key, clock, callbackSecret }) => {
  const keyHeaders = { authorization: `Bearer ${key}` };
  const api = createApi({ baseUrl, clock, headers: keyHeaders });
  const stateOf = (prediction: unknown) =>
    predictionState(prediction, (url) => sourceAt(api, url, keyHeaders));

  return {
    carries: replicateCarries,
    submit: (job, signal) =>
      submitOnce(api, createCall(job), signal, {
        idOf: ({ body }) => textAt(body, "id"),
        refusalOf: replicateRefusal,
      }),
    find: ({ job, sentAt }, signal) => findPrediction(api, markOf(job), sentAt, signal),
    poll: async (upstreamId, signal) => {
      const answer = await api.call({ method: "GET", path: pathOf(upstreamId) }, signal);
      const detail = textAt(answer.body, "detail");
      if (answer.status === 404 && detail !== undefined) return { kind: "gone" };
      const isPrediction = textAt(answer.body, "status") !== undefined;
      if (answer.status !== 200 || !isPrediction) throw new UpstreamError("a poll", answer);
      return withRetryAfter(answer, stateOf(answer.body));
    },
    cancel: async (upstreamId, signal) => {
      const path = `${pathOf(upstreamId)}/cancel`;
      const answer = await api.call({ method: "POST", path }, signal);
      if (answer.status >= 300) return false;
      return stateOf(answer.body).kind === "stopped";
    },
    callback: (callback) => {
      const isGenuine =
        callbackSecret !== undefined &&
        isReplicateCallback(callback, callbackSecret, clock.now().getTime());
      return Promise.resolve(isGenuine ? textAt(callbackJson(callback.body), "id") : undefined);
    },
    check: (signal) =>
      checkOnce(api, { method: "GET", path: "/account" }, signal, replicateRefusal),
  };
};

function pathOf(upstreamId: string): string {
  return `/predictions/${encodeURIComponent(upstreamId)}`;
}

const MAX_SKEW_MS = 300_000;
const SECRET_PREFIX = /^whsec_/;

/** True if the secret signed the callback within the last five minutes. */
export function isReplicateCallback(
  { headers, body }: Callback,
  secret: string,
  nowMs: number,
): boolean {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  const skewMs = Math.abs(nowMs - Number(timestamp) * 1000);
  if (!/^\d+$/.test(timestamp) || skewMs > MAX_SKEW_MS) return false;
  const expected = createHmac("sha256", Buffer.from(secret.replace(SECRET_PREFIX, ""), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest();
  return (headers["webhook-signature"] ?? "")
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .map((one) => Buffer.from(one.slice("v1,".length), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
