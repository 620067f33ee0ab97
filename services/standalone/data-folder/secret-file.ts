/** Random secrets, each created once and stored in a file. */
import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";

/** Reads the secret in `path`, or creates it: 43 characters of A-Z a-z 0-9 - _, file mode 0600. */
export async function readOrCreateSecret(path: string): Promise<string> {
  const stored = await readFile(path, "utf8").catch(() => "");
  if (stored.trim() !== "") return stored.trim();
  const secret = randomBytes(32).toString("base64url");
  await writeFile(`${path}.new`, `${secret}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return secret;
}
