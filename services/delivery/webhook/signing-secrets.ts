/** The secrets that sign an account's webhooks, derived from master keys; 1.0.0 sealed its own. A rotation adds one. */
import { type KeyObject, createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { DAY_MS, addMs } from "#runtime/clock.ts";
import type { Base } from "#runtime/service/service.ts";
import { signingKey, secretText } from "../domain/signature.ts";
import type { Owner } from "../domain/file.ts";
import {
  countSecretsNotUnder,
  expireOlderSecrets,
  insertSecret,
  listValidSecrets,
  type StoredSecret,
} from "../store/webhook-secrets.ts";

const OVERLAP_MS = DAY_MS;
/** Few, because the header of every webhook has a signature for each. */
const MAX_OLDER_SECRETS = 10;

export type SigningSecret = StoredSecret & { secret: string; key: KeyObject };

export type SigningSecrets = [newest: SigningSecret, ...older: SigningSecret[]];

type Deps = Pick<Base, "sql" | "clock"> & { masterKeys: MasterKeys };

/** What the secrets of an owner are found by. */
export const ownerName = ({ accountId, mode }: Owner): string => `${mode} ${accountId}`;

/** The valid secrets, newest first. Throws if the key of the newest is not configured. */
export async function signingSecrets(deps: Deps, owner: Owner): Promise<SigningSecrets> {
  const secrets = (await loadSecrets(deps, [owner])).get(ownerName(owner));
  if (secrets) return secrets;
  throw new Error("WEBHOOK_SECRET_KEY does not hold the key of this account's signing secret");
}

/**
 * Replaces the newest secret, which signs along for another day. Returns the secrets that sign from now on, newest
 * first; `by` is a user's id, or "operator". Changes nothing if `replaces` is given and is not the number of the newest
 * secret, so that a repeated call rotates once.
 */
export async function rotateSecret(
  deps: Deps,
  owner: Owner,
  { replaces, by }: { replaces: number | undefined; by: string },
): Promise<SigningSecrets> {
  await loadSecrets(deps, [owner]);
  const at = deps.clock.now();
  const [newest] = await listValidSecrets(deps.sql, [owner], at);
  if (newest && (replaces ?? newest.number) === newest.number) {
    const next = { ...owner, number: newest.number + 1 };
    await deps.sql.begin(async (tx) => {
      await insertSecret(tx, next, deps.masterKeys.keyId, at, by);
      const oldest = next.number - MAX_OLDER_SECRETS;
      await expireOlderSecrets(tx, next, { oldest, at, until: addMs(at, OVERLAP_MS) });
    });
  }
  return signingSecrets(deps, owner);
}

/** Logs which keys secrets need besides the one of new secrets, so that an operator knows whether one can go. */
export async function reportKeysInUse(deps: Deps & Pick<Base, "log">): Promise<void> {
  const { sql, clock, log, masterKeys } = deps;
  const uses = await countSecretsNotUnder(sql, masterKeys.keyId, clock.now());
  for (const { keyId: key, secrets, newest } of uses) {
    if (masterKeys.holds(key)) log.info({ key, secrets }, "webhook secrets need an older key");
    else if (newest > 0)
      log.error(
        { key, secrets: newest },
        "webhook secrets need a key that is not configured: webhooks wait",
      );
  }
}

/**
 * The valid secrets of each owner by its name, newest first; not of one whose newest cannot be derived. Older ones that cannot
 * be are left out, because they sign nothing. Makes the first one of an owner that has none.
 */
export async function loadSecrets(
  { sql, clock, masterKeys }: Deps,
  named: readonly Owner[],
): Promise<Map<string, SigningSecrets>> {
  // Most claims are empty.
  if (named.length === 0) return new Map();
  const owners = [...new Map(named.map((owner) => [ownerName(owner), owner])).values()];
  let rows = await listValidSecrets(sql, owners, clock.now());
  const known = new Set(rows.map(ownerName));
  const without = owners.filter((owner) => !known.has(ownerName(owner)));
  for (const owner of without) {
    await insertSecret(sql, { ...owner, number: 1 }, masterKeys.keyId, clock.now());
  }
  // Read again: a concurrent caller may have inserted one with another key first.
  if (without.length > 0) rows = await listValidSecrets(sql, owners, clock.now());
  const derived = new Map<string, SigningSecrets>();
  for (const [name, owned] of Map.groupBy(rows, ownerName)) {
    const [newest, ...older] = owned.flatMap((row): SigningSecret[] => {
      const secret = masterKeys.secretOf(row, row);
      return secret === undefined ? [] : [{ ...row, secret, key: signingKey(secret) }];
    });
    if (newest && newest.number === owned[0]?.number) derived.set(name, [newest, ...older]);
  }
  return derived;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARACTERS = 16;

export type MasterKeys = ReturnType<typeof masterKeys>;

/** Keys are base64 or base64url of 32 bytes, separated by commas or white space. Throws a RangeError. */
export function parseSecretKeys(text: string): [first: Buffer, ...others: Buffer[]] {
  const [first, ...others] = text.split(/[\s,]+/).flatMap((word) => {
    if (word === "") return [];
    const key = Buffer.from(word, "base64");
    if (key.length === KEY_BYTES && /^[\w+/-]{43}=?$/.test(word)) return [key];
    throw new RangeError("each key must be the base64 of 32 random bytes");
  });
  if (first === undefined) throw new RangeError("at least one key is required");
  return [first, ...others];
}

/** The first key makes new secrets. A key's id is the beginning of its SHA-256. */
export function masterKeys([first, ...others]: readonly [Buffer, ...Buffer[]]) {
  const keys = new Map([first, ...others].map((key) => [idOf(key), key]));
  return {
    /** The key of new secrets. */
    keyId: idOf(first),
    holds: (id: string): boolean => keys.has(id),
    /** The secret of a row; undefined if its key is not configured, or if it is sealed and was altered. */
    secretOf({ accountId, mode }: Owner, row: StoredSecret): string | undefined {
      const { keyId, number, sealed } = row;
      const key = keys.get(keyId);
      if (!key) return undefined;
      const info = JSON.stringify([accountId, mode, number]);
      if (sealed) return unsealed(key, info, sealed);
      return secretText(Buffer.from(hkdfSync("sha256", key, "", `webhook secret ${info}`, 32)));
    },
  };
}

/** A random secret of release 1.0.0: nonce, tag and ciphertext of AES-256-GCM. It signs until it is rotated. */
function unsealed(key: Buffer, context: string, sealed: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function idOf(key: Buffer): string {
  return createHash("sha256").update(key).digest("hex").slice(0, KEY_ID_CHARACTERS);
}
