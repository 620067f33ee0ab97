/** Rotates the key of a service in two steps, so that at no time a service signs with a key that others do not trust. */
import { readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#runtime/clock.ts";
import { generateIdentity, type ServiceKey, type TrustedKeys } from "#runtime/rpc/service-token.ts";
import { writeFor, type KeyOwner } from "./identities.ts";

/** The key that is now trusted, or now used to sign. */
export type Rotated = { key: string; state: "trusted" | "used" };

/**
 * The first call makes the next key and puts it into `trusted.json`, from which it drops the key before the current
 * one: never more than two keys of an owner are trusted. The second call, `afterMs` later at the earliest, makes it
 * the key that the owner signs with; the earlier one stays trusted. Throws where it is too early.
 */
export async function rotateKey(
  directory: string,
  owner: KeyOwner,
  { afterMs, clock }: { afterMs: number; clock: Clock },
): Promise<Rotated> {
  const currentFile = join(directory, `${owner}.json`);
  const nextFile = join(directory, `${owner}.next.json`);
  const trustedFile = join(directory, "trusted.json");
  const trusted = await readJson<TrustedKeys>(trustedFile);
  const made = await stat(nextFile).catch(() => undefined);
  const next = made && (await readJson<ServiceKey>(nextFile));
  if (made && next && trusted.keys.some(({ kid }) => kid === next.kid)) {
    const remainingMs = made.mtimeMs + afterMs - clock.now().getTime();
    if (remainingMs > 0) {
      const seconds = Math.ceil(remainingMs / 1000);
      throw new Error(
        `${next.kid} is trusted for too short a time: not every service may have read trusted.json; repeat this in ${seconds} s`,
      );
    }
    await rename(nextFile, currentFile);
    return { key: next.kid ?? "", state: "used" };
  }
  const current = await readJson<ServiceKey>(currentFile);
  const { privateKey, publicKey } = await generateIdentity(owner);
  const kept = trusted.keys.filter((key) => key.owner !== owner || key.kid === current.kid);
  await writeFor(currentFile, nextFile, privateKey);
  await writeFor(trustedFile, trustedFile, { keys: [...kept, publicKey] });
  return { key: publicKey.kid ?? "", state: "trusted" };
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, "utf8")) as T;
}
