/** A service's own key and everybody's public keys, read again when their files change, so that keys can be rotated. */
import { readFile } from "node:fs/promises";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { startPeriodicJobs } from "../loops.ts";
import type { ServiceKey, TrustedKeys } from "./service-token.ts";

const READ_EVERY_MS = 5_000;

export type KeyFiles = { identity: string; trusted: string };

export type ServiceKeys = {
  identity: () => ServiceKey;
  /** The same object until the keys change. */
  trusted: () => TrustedKeys;
  /** Whether the files could not be read the last time. */
  isUnread: () => boolean;
};

/** Starts with the keys given. A file that cannot be read or parsed is logged, and the keys stay as they are. */
export function watchKeys(
  keys: { identity: ServiceKey; trusted: TrustedKeys },
  files: KeyFiles | undefined,
  deps: { clock: Clock; log: Log },
): ServiceKeys & AsyncDisposable {
  let { identity, trusted } = keys;
  let isUnread = false;
  const read = async (paths: KeyFiles) => {
    const [ownKey, publicKeys] = await readBoth(paths).catch((error: unknown) => {
      isUnread = true;
      throw error;
    });
    isUnread = false;
    const isChanged = isDifferent(ownKey, identity) || isDifferent(publicKeys, trusted);
    if (!isChanged) return;
    if (isDifferent(ownKey, identity)) identity = ownKey;
    if (isDifferent(publicKeys, trusted)) trusted = publicKeys;
    const trusted_keys = trusted.keys.map((key) => `${key.owner} ${key.kid ?? ""}`);
    deps.log.info({ key: identity.kid, trusted_keys }, "service keys changed");
  };
  const job = { name: "read service keys", firstAfterMs: READ_EVERY_MS, everyMs: READ_EVERY_MS };
  const jobs = files ? [{ ...job, run: () => read(files) }] : [];
  const reading = startPeriodicJobs(jobs, deps);
  return {
    identity: () => identity,
    trusted: () => trusted,
    isUnread: () => isUnread,
    [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose](),
  };
}

async function readBoth(paths: KeyFiles): Promise<[ServiceKey, TrustedKeys]> {
  return [
    JSON.parse(await readFile(paths.identity, "utf8")) as ServiceKey,
    JSON.parse(await readFile(paths.trusted, "utf8")) as TrustedKeys,
  ];
}

function isDifferent(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}
