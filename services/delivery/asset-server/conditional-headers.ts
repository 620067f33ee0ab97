/** The conditional and range headers of RFC 9110, for an object that never changes. */
import rangeParser from "range-parser";
import type { ByteRange } from "../storage/object-store.ts";

/** Whether a list of tags, or "*", names `etag`. If-None-Match compares weakly, If-Match strongly. */
export function tagMatches(header: string, etag: string, compared: "weakly" | "strongly"): boolean {
  if (header.trim() === "*") return true;
  const tags = header.split(",").map((tag) => tag.trim());
  return tags.some((tag) => (compared === "weakly" ? tag.replace(/^W\//, "") : tag) === etag);
}

/** Whether a Range header applies, given If-Range. Objects have no modification date, so a date never matches. */
export function rangeApplies(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag;
}

const WHOLE_SUFFIX = /^bytes=\s*-0*[1-9]\d*\s*$/;

/**
 * The range that a Range header requests of an object of `bytes` bytes. Undefined if the header is absent, malformed,
 * of another unit, or names several separate ranges: then the whole object is sent.
 */
export function parseRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | undefined {
  if (header === undefined || !header.startsWith("bytes=") || isReversed(header)) return undefined;
  const parsed = rangeParser(bytes, header, { combine: true });
  if (parsed === -2) return undefined;
  if (parsed === -1) {
    // A suffix longer than the object means the whole object (RFC 9110, 14.1.2); the parser rejects it.
    const whole = bytes > 0 && WHOLE_SUFFIX.test(header);
    return whole ? { start: 0, end: bytes - 1 } : "unsatisfiable";
  }
  const [range] = parsed;
  return parsed.length === 1 && range ? { start: range.start, end: range.end } : undefined;
}

/** A range that ends before it begins makes the whole header invalid, which the parser takes for one beyond the object. */
function isReversed(header: string): boolean {
  const ranges = header.slice(header.indexOf("=") + 1).split(",");
  return ranges.some((range) => {
    const [first = "", last = ""] = range.split("-").map((one) => one.trim());
    return first !== "" && last !== "" && Number(last) < Number(first);
  });
}
