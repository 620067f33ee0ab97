/** Stored files: their keys, how long pictures of clients are kept, and how many bytes an account may keep. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { FileSchema } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { isToken } from "#runtime/id.ts";
import { modeOf, type ModeName } from "#vocabulary/names.ts";

export type FileRow = {
  id: string;
  sha256: string;
  createdAt: Date;
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

const KEY = /^([^.]+)(?:\.thumbnail)?\.(?:mp4|webm|png|jpg|webp)$/;

/** The token in `key`, or undefined if this service did not make the key. */
export function assetTokenOf(key: string): string | undefined {
  const token = KEY.exec(key)?.[1];
  return token !== undefined && isToken(token) ? token : undefined;
}

/** The thumbnail of an image, whose own key may end in `.webp` too. */
export const imageThumbnailKey = (token: string): string => `${token}.thumbnail.webp`;

export const videoThumbnailKey = (token: string): string => `${token}.jpg`;

/** Content Credentials, the IPTC digital source type, or nothing. */
export type Provenance = "c2pa" | "iptc" | "none";

/** `limitBytes`: null for the mode's default, 0 for no limit. */
export type StorageRow = { mode: ModeName; usedBytes: bigint; limitBytes: bigint | null };

const DEFAULT_LIMIT_BYTES: Readonly<Record<ModeName, bigint | undefined>> = {
  live: undefined,
  test: 2_000_000_000n,
};

/** Undefined: there is no limit. */
export function storageLimitOf({ mode, limitBytes }: StorageRow): bigint | undefined {
  if (limitBytes === null) return DEFAULT_LIMIT_BYTES[mode];
  return limitBytes === 0n ? undefined : limitBytes;
}

/** The message that RPCs carry. */
export function toStorage(storage: StorageRow) {
  const limitBytes = storageLimitOf(storage);
  return {
    mode: modeOf(storage.mode),
    usedBytes: storage.usedBytes,
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}
