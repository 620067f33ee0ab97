/** The services' keys in a folder: a private key for each service, and the public keys of all; and their rotation. */
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity, type ServiceKey, type TrustedKeys } from "#runtime/rpc/service-token.ts";
import { SERVICES } from "#runtime/service/service.ts";

export const KEY_OWNERS = [...SERVICES, "ops"] as const;

export type KeyOwner = (typeof KEY_OWNERS)[number];

export type Identities = Awaited<ReturnType<typeof openIdentities>>;

/** Reads the keys from `directory`; creates them at the first start. */
export async function openIdentities(directory: string) {
  const keyFile = (name: KeyOwner) => join(directory, `${name}.json`);
  const trustedFile = join(directory, "trusted.json");
  const isNew = (await readJsonIfThere(trustedFile)) === undefined;
  if (isNew) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const trusted: TrustedKeys = { keys: [] };
    for (const name of KEY_OWNERS) {
      const { privateKey, publicKey } = await generateIdentity(name);
      await writeFor(directory, keyFile(name), privateKey, 0o600);
      trusted.keys.push(publicKey);
    }
    await writeFor(directory, trustedFile, trusted, 0o644);
  }
  const read = async (name: KeyOwner) => [name, await readJsonIfThere(keyFile(name))];
  const keys = Object.fromEntries(await Promise.all(KEY_OWNERS.map(read)));
  return {
    keys: keys as Record<KeyOwner, ServiceKey>,
    trusted: await readJson<TrustedKeys>(trustedFile),
    /** The file of a private key, for services in processes of their own. */
    keyFile,
    trustedFile,
    isNew,
  };
}

/** Keeps owner and mode of `model`: services that run as other users read the files that root writes. */
async function writeFor(
  model: string,
  path: string,
  content: unknown,
  mode?: number,
): Promise<void> {
  const wanted = await stat(model);
  const written = `${path}.new`;
  try {
    await writeFile(written, JSON.stringify(content), { mode: 0o600 });
    const own = await stat(written);
    if (own.uid !== wanted.uid || own.gid !== wanted.gid) {
      await chown(written, wanted.uid, wanted.gid);
    }
    await chmod(written, mode ?? wanted.mode & 0o777);
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/**
 * The first call makes the next key and puts it into `trusted.json`, from which it drops the key before the current
 * one: never more than two keys of an owner are trusted. The second call makes it the key that the owner signs with;
 * the earlier one stays trusted. Returns the key that is now trusted, or now used to sign.
 */
export async function rotateKey(directory: string, owner: KeyOwner) {
  const currentFile = join(directory, `${owner}.json`);
  const nextFile = join(directory, `${owner}.next.json`);
  const trustedFile = join(directory, "trusted.json");
  const trusted = (await readJsonIfThere(trustedFile)) as TrustedKeys | undefined;
  if (!trusted)
    throw new Error(`${directory} has no trusted.json: name the folder of "ops service-key init"`);
  const next = (await readJsonIfThere(nextFile)) as ServiceKey | undefined;
  if (next && trusted.keys.some(({ kid }) => kid === next.kid)) {
    await rename(nextFile, currentFile);
    return { key: next.kid ?? "", state: "used" as const };
  }
  const current = await readJson<ServiceKey>(currentFile);
  const { privateKey, publicKey } = await generateIdentity(owner);
  const kept = trusted.keys.filter((key) => key.owner !== owner || key.kid === current.kid);
  await writeFor(currentFile, nextFile, privateKey);
  await writeFor(trustedFile, trustedFile, { keys: [...kept, publicKey] });
  return { key: publicKey.kid ?? "", state: "trusted" as const };
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, "utf8")) as T;
}

async function readJsonIfThere(path: string): Promise<unknown> {
  const text = await readIfThere(path);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Undefined only where there is no such file: what merely cannot be read must not be replaced. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
