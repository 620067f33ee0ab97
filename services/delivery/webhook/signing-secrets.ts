/** The secrets that sign an account's webhooks; the first one is created when it is first needed. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { newSecret } from "../domain/signature.ts";
import {
  insertSecret,
  listValidSecrets,
  type SecretOwner,
  type StoredSecret,
} from "../store/webhook-secrets.ts";
import type { SecretBox, SecretContext } from "./secret-box.ts";

/** A row with its secret. */
export type SigningSecret = StoredSecret & { secret: string };

export type SigningSecrets = [newest: SigningSecret, ...older: SigningSecret[]];

type Deps = { sql: Sql; clock: Clock; secretBox: SecretBox };

/**
 * The valid secrets, newest first. Throws if the newest cannot be read; older ones that cannot are left out, because they
 * sign nothing.
 */
export async function signingSecrets(deps: Deps, owner: SecretOwner): Promise<SigningSecrets> {
  const { secretBox } = deps;
  const [newest, ...older] = await validSecrets(deps, owner);
  const others = older.flatMap((row) => {
    const secret = readStoredSecret(secretBox, owner, row);
    return secret === undefined ? [] : [{ ...row, secret }];
  });
  return [{ ...newest, secret: openStoredSecret(secretBox, owner, newest) }, ...others];
}

/** The valid secrets as they are stored, newest first. Makes the first one of an owner that has none. */
export async function validSecrets(
  { sql, clock, secretBox }: Deps,
  owner: SecretOwner,
): Promise<[newest: StoredSecret, ...older: StoredSecret[]]> {
  const [known, ...older] = await listValidSecrets(sql, [owner], clock.now());
  if (known !== undefined) return [known, ...older];
  const context = secretContext(owner, { number: 1 });
  await insertSecret(sql, context, secretBox.seal(context, newSecret()), clock.now());
  // Read again: a concurrent caller may have inserted another secret first.
  const [first, ...others] = await listValidSecrets(sql, [owner], clock.now());
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

/** The secret of a row; undefined if its key is not configured or the row was altered. */
export function readStoredSecret(
  secretBox: SecretBox,
  owner: SecretOwner,
  row: StoredSecret,
): string | undefined {
  try {
    return openStoredSecret(secretBox, owner, row);
  } catch {
    return undefined;
  }
}

/** Throws if the secret cannot be read. */
function openStoredSecret(secretBox: SecretBox, owner: SecretOwner, row: StoredSecret): string {
  return secretBox.open(secretContext(owner, row), row);
}
