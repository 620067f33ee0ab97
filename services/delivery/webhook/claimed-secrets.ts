/** The secrets that sign a claimed delivery: as the claim read them, or the first, made now. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres.ts";
import type { ClaimedDelivery } from "../store/webhook-claims.ts";
import type { SecretBox } from "./secret-box.ts";
import { openStored, signingSecrets } from "./signing-secrets.ts";

/** The newest first. */
export async function secretsOf(
  deps: { sql: Sql; clock: Clock; secretBox: SecretBox },
  { account_id: accountId, mode, secrets }: ClaimedDelivery,
): Promise<string[]> {
  const owner = { accountId, mode };
  if (secrets === null) {
    const made = await signingSecrets(deps, owner);
    return made.map(({ secret }) => secret);
  }
  return secrets.map((row) => {
    const sealed = row.sealed === null ? null : Buffer.from(row.sealed, "hex");
    return openStored(deps.secretBox, owner, { ...row, sealed });
  });
}
