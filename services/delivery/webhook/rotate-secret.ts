/** Rotates an account's signing secret; the older secrets also sign for another day. */
import { addMs, type Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { newSecret } from "../domain/signature.ts";
import {
  expireOlderSecrets,
  insertSecret,
  listValidSecrets,
  lockSecrets,
  type SecretOwner,
} from "../store/webhook-secrets.ts";
import type { SecretBox } from "./secret-box.ts";
import {
  secretContext,
  signingSecrets,
  validSecrets,
  type SigningSecrets,
} from "./signing-secrets.ts";

const OVERLAP_MS = 24 * 3_600_000;
/** The header of every webhook holds a signature by each. */
const MAX_OLDER_SECRETS = 10;

/**
 * Returns the secrets that sign from now on, newest first; `by` is a user's id, or "operator". Changes nothing if `replaces` is given and is not the number
 * of the newest secret, so that a repeated call rotates once.
 */
export async function rotateSecret(
  deps: { sql: Sql; clock: Clock; secretBox: SecretBox },
  owner: SecretOwner,
  { replaces, by }: { replaces: number | undefined; by: string },
): Promise<SigningSecrets> {
  // The secret is not opened: an older secret that cannot be read can be replaced too.
  await validSecrets(deps, owner);
  await deps.sql.begin(async (tx) => {
    await lockSecrets(tx, owner);
    const at = deps.clock.now();
    const [newest] = await listValidSecrets(tx, [owner], at);
    if (newest === undefined || (replaces ?? newest.number) !== newest.number) return;
    const number = newest.number + 1;
    const context = secretContext(owner, { number });
    await insertSecret(tx, context, deps.secretBox.seal(context, newSecret()), at, by);
    const oldest = number - MAX_OLDER_SECRETS;
    await expireOlderSecrets(tx, owner, { number, oldest, at, until: addMs(at, OVERLAP_MS) });
  });
  return signingSecrets(deps, owner);
}
