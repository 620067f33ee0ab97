/** Replaces the secret that an account's webhooks are signed with; the older ones sign along for a day. */
import { addMs } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import {
  expireOlderSecrets,
  insertSecret,
  listValidSecrets,
  lockSecrets,
} from "../store/webhook-secrets.ts";
import type { SecretOwner } from "../store/webhook-secrets.ts";
import { newSecret } from "../domain/signature.ts";
import type { SecretBox } from "./secret-box.ts";
import { placeOf, signingSecrets } from "./signing-secrets.ts";
import type { SigningSecrets } from "./signing-secrets.ts";

const OVERLAP_MS = 24 * 3_600_000;
/** A signature of each stands in a header of every webhook. */
const MOST_OLDER = 10;

/** The secrets that sign from now on, the newest first. Changes nothing where the newest is not `replaces`. */
export async function rotateSecret(
  deps: { sql: Sql; clock: Clock; secretBox: SecretBox },
  owner: SecretOwner,
  replaces: number | undefined,
): Promise<SigningSecrets> {
  await signingSecrets(deps, owner);
  await deps.sql.begin(async (tx) => {
    await lockSecrets(tx, owner);
    const at = deps.clock.now();
    const [newest] = await listValidSecrets(tx, owner, at);
    if (newest === undefined || (replaces ?? newest.number) !== newest.number) return;
    const number = newest.number + 1;
    const place = placeOf(owner, { number });
    await insertSecret(tx, place, deps.secretBox.seal(place, newSecret()), at);
    const oldest = number - MOST_OLDER;
    await expireOlderSecrets(tx, owner, { number, oldest, at, until: addMs(at, OVERLAP_MS) });
  });
  return signingSecrets(deps, owner);
}
