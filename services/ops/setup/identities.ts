/** The services' keys in a data folder: a private key for each service, and the public keys of all. */
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateIdentity, type ServiceKey, type TrustedKeys } from "#runtime/rpc/service-token.ts";
import { SERVICES } from "./provision.ts";

export const KEY_OWNERS = [...SERVICES, "ops"] as const;

export type KeyOwner = (typeof KEY_OWNERS)[number];

export type Identities = {
  keys: Record<KeyOwner, ServiceKey>;
  trusted: TrustedKeys;
  /** The file of a private key, for services in processes of their own. */
  keyFile: (name: KeyOwner) => string;
  trustedFile: string;
};

/** Reads the keys from `directory`; creates them at the first start. */
export async function openIdentities(directory: string): Promise<Identities> {
  const keyFile = (name: string) => join(directory, `${name}.json`);
  const trustedFile = join(directory, "trusted.json");
  if ((await readJson(trustedFile)) === undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const trusted: TrustedKeys = { keys: [] };
    for (const name of KEY_OWNERS) {
      const { privateKey, publicKey } = await generateIdentity(name);
      await writeFor(directory, keyFile(name), privateKey, 0o600);
      trusted.keys.push(publicKey);
    }
    await writeFor(directory, trustedFile, trusted, 0o644);
  }
  const read = async (name: KeyOwner) => [name, await readJson(keyFile(name))];
  return {
    keys: Object.fromEntries(await Promise.all(KEY_OWNERS.map(read))) as Identities["keys"],
    trusted: (await readJson(trustedFile)) as TrustedKeys,
    keyFile,
    trustedFile,
  };
}

/** Keeps owner and mode of `model`: services that run as other users read the files that root writes. */
export async function writeFor(
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

/** Undefined only where there is no such file: keys that merely cannot be read must not be replaced. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
