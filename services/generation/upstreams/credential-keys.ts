/** Reads the keys of upstream accounts from the environment or from a folder of files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

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

export function readKeys(source: KeySource, credential: string): Keys | undefined {
  const { directory, keys, callbackSecrets } = source;
  const key = fileIn(directory, credential) ?? keys[credential];
  const callbackSecret =
    fileIn(directory, credential + CALLBACK_FILE) ?? callbackSecrets[credential];
  if (key === undefined) return undefined;
  return { key, ...(callbackSecret === undefined ? {} : { callbackSecret }) };
}

function fileIn(directory: string | undefined, name: string): string | undefined {
  if (directory === undefined) return undefined;
  try {
    return readFileSync(join(directory, name), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}
