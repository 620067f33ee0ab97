/** Random secrets that are made once and kept in a file of their own. */
import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";

/** The secret in `path`, made on first use: 43 characters of A-Z a-z 0-9 - _, mode 0600. */
export async function keptSecret(path: string): Promise<string> {
  const kept = await readFile(path, "utf8").catch(() => "");
  if (kept.trim() !== "") return kept.trim();
  const secret = randomBytes(32).toString("base64url");
  await writeFile(`${path}.new`, `${secret}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return secret;
}
