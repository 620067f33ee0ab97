/** Times and limits of Tokens as answers, webhooks and operators' lists show them, and how a stored file's URL is known. */
import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { components } from "#gen/openapi/media.ts";
import { LimitPeriod, type TokenLimit } from "#gen/proto/media/billing/v1/billing_pb.ts";

/** RFC 3339, UTC, with milliseconds. */
export function publicTime(at: Timestamp): string {
  return timestampDate(at).toISOString();
}

export function publicTokenLimit(limit: TokenLimit): components["schemas"]["TokenLimit"] {
  if (!limit.resetsAt) throw new Error("a limit has a time when it starts anew");
  return {
    ...(limit.keyId === ""
      ? { scope: limit.perEndUser ? "end_user" : "account" }
      : { scope: "key", key_id: limit.keyId }),
    period: limit.period === LimitPeriod.MONTH ? "month" : "day",
    tokens: Number(limit.tokens),
    used: Number(limit.used),
    resets_at: publicTime(limit.resetsAt),
  };
}

const KEY = /\/([0-7][0-9a-hjkmnp-tv-z]{25}\.(?:mp4|webm|png|jpg|webp))$/;

/** Whether the URL has the form of a stored file's, whoever stores it. */
export function isLikeAssetUrl(url: string): boolean {
  return KEY.test(url);
}

/** Whether the URL is below those of stored files, whether or not there can be such a file. */
export function isBelowAssets(url: string, baseUrl: string): boolean {
  return url.startsWith(`${baseUrl}/`);
}

/** The storage key in a URL that begins with `baseUrl`; undefined for every other URL. */
export function assetKeyOf(url: string, baseUrl: string): string | undefined {
  const key = KEY.exec(url)?.[1];
  return key !== undefined && url === `${baseUrl}/${key}` ? key : undefined;
}

/** The longest span of usage that a request may name, as the documents say it. */
export const MAX_USAGE_DAYS = 92;
