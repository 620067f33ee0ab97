/** Encrypts with the current key every stored secret that is not: older plain ones, and those of a replaced key. */
import type { Sql } from "#runtime/postgres/connect.ts";
import { listSecretsNotUnder, replaceStoredSecret } from "../store/webhook-secrets.ts";
import type { SecretBox } from "./secret-box.ts";
import { openStoredSecret, secretContext } from "./signing-secrets.ts";

const BATCH = 200;

/** Runs when the service starts; returns how many secrets it changed. Throws UnknownKeyError if a key is missing. */
export async function resealSecrets(deps: { sql: Sql; secretBox: SecretBox }): Promise<number> {
  const { sql, secretBox } = deps;
  let changed = 0;
  let rows = await listSecretsNotUnder(sql, secretBox.keyId, BATCH);
  while (rows.length > 0) {
    for (const row of rows) {
      const owner = { accountId: row.accountId, mode: row.mode };
      const secret = openStoredSecret(secretBox, owner, row);
      await replaceStoredSecret(sql, row, secretBox.seal(secretContext(owner, row), secret));
      changed += 1;
    }
    rows = await listSecretsNotUnder(sql, secretBox.keyId, BATCH);
  }
  return changed;
}
