/** The keys that sign what one claim took: read for all owners at once, opened once for each. */
import type { KeyObject } from "node:crypto";
import type { Clock } from "#runtime/clock.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { listValidSecretsOf } from "../store/webhook-secrets.ts";
import type { SecretBox } from "./secret-box.ts";
import { signingKey } from "../domain/signature.ts";
import { openStored, signingSecrets } from "./signing-secrets.ts";

type Owner = { account_id: string; mode: ModeName };

/** The newest first. Where the owner has none yet, the first is made now. */
export type KeysOf = (owner: Owner) => Promise<KeyObject[]>;

export async function claimedKeys(
  deps: { sql: Sql; clock: Clock; secretBox: SecretBox },
  claimed: readonly Owner[],
): Promise<KeysOf> {
  const owners = new Map(claimed.map((owner) => [nameOf(owner), ownerOf(owner)]));
  // Most looks find nothing to send.
  const rows =
    owners.size === 0
      ? []
      : await listValidSecretsOf(deps.sql, [...owners.values()], deps.clock.now());
  const stored = Map.groupBy(rows, nameOf);
  const opened = new Map<string, Promise<KeyObject[]>>();
  const open = async (owner: Owner): Promise<KeyObject[]> => {
    const known = stored
      .get(nameOf(owner))
      ?.map((row) => openStored(deps.secretBox, ownerOf(owner), row));
    const secrets =
      known ?? (await signingSecrets(deps, ownerOf(owner))).map(({ secret }) => secret);
    return secrets.map(signingKey);
  };
  return (owner) => {
    const found = opened.get(nameOf(owner)) ?? open(owner);
    opened.set(nameOf(owner), found);
    return found;
  };
}

function nameOf({ account_id, mode }: Owner): string {
  return `${mode} ${account_id}`;
}

function ownerOf({ account_id: accountId, mode }: Owner) {
  return { accountId, mode };
}
