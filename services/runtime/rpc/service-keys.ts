/** A service's own key and everybody's public keys, read again when their files change, so that keys can be rotated. */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { ServiceKey, TrustedKeys } from "./service-token.ts";

const READ_EVERY_MS = 5_000;

export type KeyFiles = { identity: string; trusted: string };

type Keys = { identity: ServiceKey; trusted: TrustedKeys };

/** Starts with the keys given. A file that cannot be read or parsed is logged, and the keys stay as they are. */
export function serviceKeys(
  { identity, trusted }: Keys,
  files: KeyFiles | undefined,
  { clock, log }: { clock: Clock; log: Log },
) {
  let keys: Keys = { identity, trusted };
  let readAtMs = clock.monotonicMs();
  let isUnread = false;
  const current = (): Keys => {
    if (!files || clock.monotonicMs() < readAtMs + READ_EVERY_MS) return keys;
    readAtMs = clock.monotonicMs();
    try {
      const found = {
        identity: readKeys(files.identity),
        trusted: readKeys(files.trusted),
      } as Keys;
      if (isDeepStrictEqual(found, keys)) {
        isUnread = false;
        return keys;
      }
      const trusted_keys = found.trusted.keys.map((key) => `${key.owner} ${key.kid ?? ""}`);
      keys = found;
      isUnread = false;
      log.info({ key: keys.identity.kid, trusted_keys }, "service keys changed");
    } catch (error) {
      isUnread = true;
      log.error({ err: error }, "service keys cannot be read, the earlier ones stay in use");
    }
    return keys;
  };
  return {
    identity: (): ServiceKey => current().identity,
    /** The same object until the keys change. */
    trusted: (): TrustedKeys => current().trusted,
    /** Whether the files could not be read the last time. */
    isUnread: (): boolean => {
      current();
      return isUnread;
    },
  };
}

function readKeys(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
