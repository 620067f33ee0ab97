/** Where the keys of upstream accounts are read: the environment, or a folder of files. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** What an upstream account is used with. */
export type Keys = {
  key: string;
  /** What the upstream signs its callbacks with, where it gave one. */
  callbackSecret?: string;
};

/** By credential; from the environment. */
export type KeySource = {
  keys: Readonly<Record<string, string>>;
  callbackSecrets: Readonly<Record<string, string>>;
  /** Holds a file `<credential>`, and `<credential>.callback` for the secret; wins over the environment. */
  directory: string | undefined;
};

const CALLBACK_FILE = ".callback";

/** Undefined where the credential has no key. */
export function readKeys(source: KeySource, credential: string): Keys | undefined {
  const { directory, keys, callbackSecrets } = source;
  const key = fileIn(directory, credential) ?? keys[credential];
  const callbackSecret =
    fileIn(directory, credential + CALLBACK_FILE) ?? callbackSecrets[credential];
  if (key === undefined) return undefined;
  return { key, ...(callbackSecret === undefined ? {} : { callbackSecret }) };
}

/** Changes when a file of the directory does. */
export function keysVersion({ directory }: KeySource): string {
  if (directory === undefined || !existsSync(directory)) return "";
  const names = readdirSync(directory).sort();
  return names.map((name) => `${name}:${fileVersion(join(directory, name))}`).join();
}

/** Changes when the file does. */
export function fileVersion(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs}/${stat.size}/${stat.ino}` : "absent";
}

function fileIn(directory: string | undefined, name: string): string | undefined {
  if (directory === undefined) return undefined;
  try {
    return readFileSync(join(directory, name), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
