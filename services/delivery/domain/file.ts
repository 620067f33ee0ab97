/** Pictures that clients sent: how long they are kept, and the message that RPCs carry. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FileSchema } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { ModeName } from "#vocabulary/mode.ts";

export type FileRow = {
  id: string;
  sha256: string;
  createdAt: Date;
  /** Later than `createdAt` where the first try to store it failed. */
  reservedAt: Date;
  /** Of its asset, from the beginning. */
  token: string;
  /** Null until it is stored. */
  key: string | null;
  contentType: string | null;
  bytes: bigint | null;
  width: number | null;
  height: number | null;
  expiresAt: Date | null;
  isDeleted: boolean;
};

const DAY_MS = 24 * 3_600_000;

/** How long a file is kept that no generation uses. */
export const UNUSED_FILE_MS = DAY_MS;

/** How long a used file is kept: test mode costs nothing, so that it must not be a place to store files. */
export const USED_FILE_MS: Readonly<Record<ModeName, number | null>> = {
  live: null,
  test: 7 * DAY_MS,
};

/** Throws for a file that is not stored. */
export function toFile(row: FileRow): MessageInitShape<typeof FileSchema> {
  const { key, contentType, bytes, width, height, expiresAt } = row;
  if (key === null || contentType === null || bytes === null || width === null || height === null)
    throw new Error(`the file ${row.id} is not stored`);
  return {
    id: row.id,
    key,
    contentType,
    bytes,
    width,
    height,
    createdAt: timestampFromDate(row.createdAt),
    ...(expiresAt ? { expiresAt: timestampFromDate(expiresAt) } : {}),
  };
}
