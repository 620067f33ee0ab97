/** A time as answers, webhooks and operators' lists show it. */
import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";

/** RFC 3339, UTC, with milliseconds. */
export function publicTime(at: Timestamp): string {
  return timestampDate(at).toISOString();
}
