/** Brings every stored secret under the key that encrypts now: plain ones from before, and those of a replaced key. */
import type { Sql } from "#runtime/postgres/connect.ts";
import { listSecretsNotUnder, replaceStoredSecret } from "../store/webhook-secrets.ts";
import type { SecretBox } from "./secret-box.ts";
import { openStored, placeOf } from "./signing-secrets.ts";

const BATCH = 200;

/** Run when the service starts; the number of secrets it changed. Throws UnknownKeyError where a key is missing. */
export async function resealSecrets(deps: { sql: Sql; secretBox: SecretBox }): Promise<number> {
  const { sql, secretBox } = deps;
  for (let changed = 0; ;) {
    const rows = await listSecretsNotUnder(sql, secretBox.keyId, BATCH);
    if (rows.length === 0) return changed;
    for (const row of rows) {
      const owner = { accountId: row.account_id, mode: row.mode };
      const sealed = secretBox.seal(placeOf(owner, row), openStored(secretBox, owner, row));
      await replaceStoredSecret(sql, row, sealed);
      changed += 1;
    }
  }
}
