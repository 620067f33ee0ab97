/** The secrets that sign an account's webhooks; the first one is created when it is first needed. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { newSecret } from "../domain/signature.ts";
import type { SecretOwner, StoredSecret } from "../store/webhook-secrets.ts";
import { insertSecret, listValidSecrets } from "../store/webhook-secrets.ts";
import type { SecretBox, SecretContext } from "./secret-box.ts";

export type SigningSecret = {
  secret: string;
  number: number;
  createdAt: Date;
  /** The newest never expires. */
  expiresAt: Date | undefined;
  /** A user's id, or "operator"; undefined for a first secret. */
  createdBy: string | undefined;
};

export type SigningSecrets = [newest: SigningSecret, ...older: SigningSecret[]];

/** The valid secrets, newest first. */
export async function signingSecrets(
  deps: { sql: Sql; clock: Clock; secretBox: SecretBox },
  owner: SecretOwner,
): Promise<SigningSecrets> {
  const { sql, clock, secretBox } = deps;
  const read = async () => {
    const rows = await listValidSecrets(sql, owner, clock.now());
    return rows.map((row) => ({
      secret: openStoredSecret(secretBox, owner, row),
      number: row.number,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt ?? undefined,
      createdBy: row.createdBy ?? undefined,
    }));
  };
  const [known, ...older] = await read();
  if (known !== undefined) return [known, ...older];
  const context = secretContext(owner, { number: 1 });
  await insertSecret(sql, context, secretBox.seal(context, newSecret()), clock.now());
  // Read again: a concurrent caller may have inserted another secret first.
  const [first, ...others] = await read();
  if (first === undefined) throw new Error("every secret of this account and mode has expired");
  return [first, ...others];
}

/** What a secret is bound to when it is encrypted. */
export function secretContext(
  owner: SecretOwner,
  { number }: { number: number },
): SecretOwner & SecretContext {
  return { ...owner, number };
}

/** The secret of a row, whether or not it is encrypted yet. */
export function openStoredSecret(
  secretBox: SecretBox,
  owner: SecretOwner,
  row: Pick<StoredSecret, "number" | "secret" | "keyId" | "sealed">,
): string {
  if (row.keyId === null || row.sealed === null) return row.secret ?? "";
  return secretBox.open(secretContext(owner, row), { keyId: row.keyId, sealed: row.sealed });
}
