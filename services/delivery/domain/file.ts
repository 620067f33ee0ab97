/** Stored files: their keys, how long pictures of clients are kept, and how many bytes an account may keep. */
import { DAY_MS } from "#runtime/clock.ts";
import { isToken } from "#runtime/id.ts";
import { modeOf, type ModeName } from "#vocabulary/names.ts";

/** Whose files, webhooks and secrets they are: those of its two modes are apart. */
export type Owner = { accountId: string; mode: ModeName };

type Stored = { key: string; contentType: string; bytes: bigint; width: number; height: number };

export type FileRow = (Stored | { key: null }) & {
  id: string;
  sha256: string;
  createdAt: Date;
  /** Of its asset, from the beginning. */
  token: string;
  expiresAt: Date | null;
  isDeleted: boolean;
};

export type StoredFile = FileRow & Stored;

/** How long a file is kept that no generation uses. */
export const UNUSED_FILE_MS = DAY_MS;

/** How long outputs and used files are kept: test mode costs nothing, so that it must not be a place to store files. */
export const USED_MS: Readonly<Record<ModeName, number | null>> = { live: null, test: 7 * DAY_MS };

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
  return { ...storage, mode: modeOf(storage.mode), limitBytes: storageLimitOf(storage) };
}
