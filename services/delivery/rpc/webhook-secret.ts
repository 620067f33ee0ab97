/** A signing secret as the RPCs show it. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { SecretRow } from "../store/webhook-secrets.ts";

export type ShownSecret = {
  secret: string;
  version: number;
  createdAt: Timestamp;
  olderValidUntil?: Timestamp;
};

/** The newest of the valid secrets, which come newest first, and until when an older one signs along. */
export function shownSecret([newest, ...older]: readonly [SecretRow, ...SecretRow[]]): ShownSecret {
  const ends = older.flatMap(({ expires_at }) => (expires_at ? [expires_at.getTime()] : []));
  return {
    secret: newest.secret,
    version: newest.number,
    createdAt: timestampFromDate(newest.created_at),
    ...(ends.length > 0 ? { olderValidUntil: timestampFromDate(new Date(Math.max(...ends))) } : {}),
  };
}
