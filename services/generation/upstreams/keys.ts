/** Reads the keys of upstream accounts from the environment or from a folder of files. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileVersion } from "#runtime/file-version.ts";

/** The secrets of an upstream account. */
export type Keys = {
  key: string;
  /** Verifies the upstream's callbacks; absent if the upstream issued none. */
  callbackSecret?: string;
};

/** Secrets by credential, read from the environment, and the folder of key files. */
export type KeySource = {
  keys: Readonly<Record<string, string>>;
  callbackSecrets: Readonly<Record<string, string>>;
  /** Has a file `<credential>` for a key and `<credential>.callback` for a secret; takes precedence over the environment. */
  directory: string | undefined;
};

const CALLBACK_FILE = ".callback";

/** Returns undefined if the credential has no key. */
export function readKeys(source: KeySource, credential: string): Keys | undefined {
  const { directory, keys, callbackSecrets } = source;
  const key = fileIn(directory, credential) ?? keys[credential];
  const callbackSecret =
    fileIn(directory, credential + CALLBACK_FILE) ?? callbackSecrets[credential];
  if (key === undefined) return undefined;
  return { key, ...(callbackSecret === undefined ? {} : { callbackSecret }) };
}

/** Returns a string that changes when a file of the directory changes. */
export function keysVersion({ directory }: KeySource): string {
  if (directory === undefined || !existsSync(directory)) return "";
  const names = readdirSync(directory).sort();
  return names.map((name) => `${name}:${fileVersion(join(directory, name))}`).join();
}

function fileIn(directory: string | undefined, name: string): string | undefined {
  if (directory === undefined) return undefined;
  try {
    return readFileSync(join(directory, name), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
