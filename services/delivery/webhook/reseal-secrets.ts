/** Encrypts with the current key the stored secrets of a replaced key. */
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import {
  countSecretsNotUnder,
  listSecretsUnder,
  replaceStoredSecret,
  type OwnedSecret,
} from "../store/webhook-secrets.ts";
import type { SecretBox } from "./secret-box.ts";
import { readStoredSecret, secretContext } from "./signing-secrets.ts";

const BATCH = 200;

type Deps = { sql: Sql; log: Log; secretBox: SecretBox };

/**
 * Runs when the service starts; returns how many secrets it changed. Those that cannot be read stay as they are and are
 * logged: until they are replaced, or their key is back, their accounts' webhooks wait.
 */
export async function resealSecrets(deps: Deps): Promise<number> {
  const { sql, log, secretBox } = deps;
  let changed = 0;
  for (const { keyId, secrets } of await countSecretsNotUnder(sql, secretBox.keyId)) {
    const isHeld = secretBox.holds(keyId);
    const done = isHeld ? await resealUnder(deps, keyId) : { changed: 0, unread: secrets };
    changed += done.changed;
    if (done.unread > 0) {
      log.error(
        { secrets: done.unread, key: keyId, reason: isHeld ? "altered" : "unknown key" },
        "webhook secrets cannot be read, their accounts' webhooks wait",
      );
    }
  }
  return changed;
}

async function resealUnder({ sql, secretBox }: Deps, keyId: string) {
  const done = { changed: 0, unread: 0 };
  let rows: OwnedSecret[] = [];
  do {
    rows = await listSecretsUnder(sql, keyId, { after: rows.at(-1), limit: BATCH });
    for (const row of rows) {
      const owner = { accountId: row.accountId, mode: row.mode };
      const secret = readStoredSecret(secretBox, owner, row);
      if (secret === undefined) done.unread += 1;
      else {
        await replaceStoredSecret(sql, row, secretBox.seal(secretContext(owner, row), secret));
        done.changed += 1;
      }
    }
  } while (rows.length === BATCH);
  return done;
}
