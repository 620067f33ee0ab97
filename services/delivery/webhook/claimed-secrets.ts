/** The secrets that sign what one claim took: read for all owners at once, opened once for each. */
import type { Clock } from "#runtime/clock.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { Sql } from "#runtime/postgres.ts";
import { listValidSecretsOf } from "../store/webhook-secrets.ts";
import type { SecretBox } from "./secret-box.ts";
import { openStored, signingSecrets } from "./signing-secrets.ts";

type Owner = { account_id: string; mode: ModeName };

/** The newest first. Where the owner has none yet, the first is made now. */
export type SecretsOf = (owner: Owner) => Promise<string[]>;

export async function claimedSecrets(
  deps: { sql: Sql; clock: Clock; secretBox: SecretBox },
  claimed: readonly Owner[],
): Promise<SecretsOf> {
  const owners = new Map(claimed.map((owner) => [keyOf(owner), namesOf(owner)]));
  const rows = await listValidSecretsOf(deps.sql, [...owners.values()], deps.clock.now());
  const stored = Map.groupBy(rows, keyOf);
  const opened = new Map<string, Promise<string[]>>();
  const open = async (owner: Owner): Promise<string[]> => {
    const known = stored.get(keyOf(owner));
    if (known) return known.map((row) => openStored(deps.secretBox, namesOf(owner), row));
    return (await signingSecrets(deps, namesOf(owner))).map(({ secret }) => secret);
  };
  return (owner) => {
    const found = opened.get(keyOf(owner)) ?? open(owner);
    opened.set(keyOf(owner), found);
    return found;
  };
}

function keyOf({ account_id, mode }: Owner): string {
  return `${mode} ${account_id}`;
}

function namesOf({ account_id: accountId, mode }: Owner) {
  return { accountId, mode };
}
