/** The secrets that sign an account's webhooks: the first is made when it is first asked for. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { SecretOwner, StoredSecret } from "../store/webhook-secrets.ts";
import { insertSecret, listValidSecrets } from "../store/webhook-secrets.ts";
import type { SecretBox, SecretPlace } from "./secret-box.ts";
import { newSecret } from "../domain/signature.ts";

export type SigningSecret = {
  secret: string;
  number: number;
  createdAt: Date;
  /** The newest never expires. */
  expiresAt: Date | undefined;
};

export type SigningSecrets = [newest: SigningSecret, ...older: SigningSecret[]];

/** The secrets that sign now, the newest first. */
export async function signingSecrets(
  deps: { sql: Sql; clock: Clock; secretBox: SecretBox },
  owner: SecretOwner,
): Promise<SigningSecrets> {
  const { sql, clock, secretBox } = deps;
  const read = async () => {
    const rows = await listValidSecrets(sql, owner, clock.now());
    return rows.map((row) => ({
      secret: openStored(secretBox, owner, row),
      number: row.number,
      createdAt: row.created_at,
      expiresAt: row.expires_at ?? undefined,
    }));
  };
  const [known, ...older] = await read();
  if (known !== undefined) return [known, ...older];
  const place = placeOf(owner, { number: 1 });
  await insertSecret(sql, place, secretBox.seal(place, newSecret()), clock.now());
  // Read again: of several callers at once, one has written.
  const [first, ...others] = await read();
  if (first === undefined) throw new Error("every secret of this account and mode has expired");
  return [first, ...others];
}

export function placeOf(
  owner: SecretOwner,
  { number }: { number: number },
): SecretOwner & SecretPlace {
  return { ...owner, number };
}

/** The secret of a row, also of one that is not encrypted yet. */
export function openStored(
  secretBox: SecretBox,
  owner: SecretOwner,
  row: Pick<StoredSecret, "number" | "secret" | "key_id" | "sealed">,
): string {
  if (row.key_id === null || row.sealed === null) return row.secret ?? "";
  return secretBox.open(placeOf(owner, row), { keyId: row.key_id, sealed: row.sealed });
}
