/** The secrets of a data folder, each made at the first start and stored in a file of its own. */
import { randomBytes } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readIfThere } from "../../ops/setup/identities.ts";

export async function openSecrets(dataDir: string) {
  const secret = (name: string) => readOrCreateSecret(join(dataDir, "keys", name));
  return {
    /** The master key of the signing secrets of webhooks. */
    webhookKey: await secret("webhook-secret-key"),
    /** Signs the sessions of the dashboard. */
    auth: await secret("auth-secret"),
    /** Signs the callback URLs given to upstreams. */
    callbacks: await secret("callbacks"),
    /** Signs job ids of the simulator. */
    simulator: await secret("simulator-secret"),
  };
}

/** Reads the secret in `path`, or creates it: 43 characters of A-Z a-z 0-9 - _, file mode 0600. */
export async function readOrCreateSecret(path: string): Promise<string> {
  const stored = (await readIfThere(path))?.trim();
  if (stored) return stored;
  const secret = randomBytes(32).toString("base64url");
  await replaceFile(path, `${secret}\n`);
  return secret;
}

/** Writes a file that only its owner can read, at once or not at all. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
