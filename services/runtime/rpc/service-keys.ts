/** A service's own key and everybody's public keys, read again when their files change, so that keys can be rotated. */
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { startPeriodicJobs } from "../loops.ts";
import type { ServiceKey, TrustedKeys } from "./service-token.ts";

const READ_EVERY_MS = 5_000;

export type KeyFiles = { identity: string; trusted: string };

type Keys = { identity: ServiceKey; trusted: TrustedKeys };

export type ServiceKeys = ReturnType<typeof watchKeys>;

/** Starts with the keys given. A file that cannot be read or parsed is logged, and the keys stay as they are. */
export function watchKeys(
  { identity, trusted }: Keys,
  files: KeyFiles | undefined,
  deps: { clock: Clock; log: Log },
) {
  let keys = { identity, trusted };
  let isUnread = false;
  const read = async (paths: KeyFiles) => {
    const found = await readBoth(paths).catch((error: unknown) => {
      isUnread = true;
      throw error;
    });
    isUnread = false;
    if (isDeepStrictEqual(found, keys)) return;
    keys = found;
    const trusted_keys = keys.trusted.keys.map((key) => `${key.owner} ${key.kid ?? ""}`);
    deps.log.info({ key: keys.identity.kid, trusted_keys }, "service keys changed");
  };
  const job = { name: "read service keys", firstAfterMs: READ_EVERY_MS, everyMs: READ_EVERY_MS };
  const reading = startPeriodicJobs(files ? [{ ...job, run: () => read(files) }] : [], deps);
  return {
    identity: (): ServiceKey => keys.identity,
    /** The same object until the keys change. */
    trusted: (): TrustedKeys => keys.trusted,
    /** Whether the files could not be read the last time. */
    isUnread: (): boolean => isUnread,
    [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose](),
  };
}

async function readBoth(paths: KeyFiles): Promise<Keys> {
  return {
    identity: JSON.parse(await readFile(paths.identity, "utf8")) as ServiceKey,
    trusted: JSON.parse(await readFile(paths.trusted, "utf8")) as TrustedKeys,
  };
}
