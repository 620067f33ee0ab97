/** A signing secret as the RPCs show it. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { SigningSecrets } from "../webhook/signing-secrets.ts";

export type ShownSecret = {
  secret: string;
  version: number;
  createdAt: Timestamp;
  olderValidUntil?: Timestamp;
};

/** The newest of the valid secrets, which come newest first, and until when an older one signs along. */
export function shownSecret([newest, ...older]: SigningSecrets): ShownSecret {
  const ends = older.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []));
  return {
    secret: newest.secret,
    version: newest.number,
    createdAt: timestampFromDate(newest.createdAt),
    ...(ends.length > 0 ? { olderValidUntil: timestampFromDate(new Date(Math.max(...ends))) } : {}),
  };
}
