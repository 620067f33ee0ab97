/** The keys that sign the deliveries of one claim: read for all owners in one query, decrypted once per owner. */
import type { KeyObject } from "node:crypto";
import type { Clock } from "#runtime/clock.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { signingKey } from "../domain/signature.ts";
import { listValidSecrets } from "../store/webhook-secrets.ts";
import type { SecretBox } from "./secret-box.ts";
import { readStoredSecret, validSecrets } from "./signing-secrets.ts";

type Owner = { accountId: string; mode: ModeName };

/**
 * The owner's valid keys, newest first; undefined if its newest secret cannot be read. Older ones that cannot be read are
 * left out. Creates the first secret of an owner that has none.
 */
export type SigningKeysOf = (owner: Owner) => Promise<KeyObject[] | undefined>;

/** Reads the secrets of all owners in `claimed`. */
export async function loadSigningKeys(
  deps: { sql: Sql; clock: Clock; secretBox: SecretBox },
  claimed: readonly Owner[],
): Promise<SigningKeysOf> {
  const owners = new Map(claimed.map((owner) => [nameOf(owner), ownerOf(owner)]));
  // Most claims are empty.
  const rows =
    owners.size === 0
      ? []
      : await listValidSecrets(deps.sql, [...owners.values()], deps.clock.now());
  const stored = Map.groupBy(rows, nameOf);
  const opened = new Map<string, Promise<KeyObject[] | undefined>>();
  const open = async (owner: Owner): Promise<KeyObject[] | undefined> => {
    const known = stored.get(nameOf(owner)) ?? (await validSecrets(deps, ownerOf(owner)));
    const [newest, ...older] = known.map((row) =>
      readStoredSecret(deps.secretBox, ownerOf(owner), row),
    );
    if (newest === undefined) return undefined;
    return [newest, ...older.filter((secret) => secret !== undefined)].map(signingKey);
  };
  return (owner) => {
    const keys = opened.get(nameOf(owner)) ?? open(owner);
    opened.set(nameOf(owner), keys);
    return keys;
  };
}

function nameOf({ accountId, mode }: Owner): string {
  return `${mode} ${accountId}`;
}

function ownerOf({ accountId, mode }: Owner) {
  return { accountId, mode };
}
