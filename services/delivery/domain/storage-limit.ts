/** How many bytes an account keeps in a mode, and may keep. */
import { modeOf, type ModeName } from "#vocabulary/names.ts";

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
