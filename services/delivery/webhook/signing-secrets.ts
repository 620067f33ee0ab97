/** The secrets that sign an account's webhooks: the first is made when it is first asked for. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres.ts";
import type { SecretOwner, SecretRow } from "../store/webhook-secrets.ts";
import { insertSecret, listValidSecrets } from "../store/webhook-secrets.ts";
import { newSecret } from "./sign.ts";

export type SigningSecrets = [newest: SecretRow, ...older: SecretRow[]];

/** The secrets that sign now, the newest first. */
export async function signingSecrets(
  { sql, clock }: { sql: Sql; clock: Clock },
  owner: SecretOwner,
): Promise<SigningSecrets> {
  const [known, ...older] = await listValidSecrets(sql, owner, clock.now());
  if (known !== undefined) return [known, ...older];
  await insertSecret(sql, { ...owner, number: 1, secret: newSecret(), at: clock.now() });
  // Read again: of several callers at once, one has written.
  const [first, ...others] = await listValidSecrets(sql, owner, clock.now());
  if (first === undefined) throw new Error("every secret of this account and mode has expired");
  return [first, ...others];
}
