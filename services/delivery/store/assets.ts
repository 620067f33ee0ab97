/** Assets, and the tokens reserved for outputs that are not stored yet. */
import type { ModeName } from "#vocabulary/names.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/values.ts";
import type { Provenance } from "../domain/file.ts";

export type OutputsOf = { accountId: string; generationId: string };

export type StoredAsset = {
  key: string;
  thumbnailKey: string | null;
  contentType: string;
  width: number;
  height: number;
  durationSeconds: number | null;
  bytes: bigint;
  /** Null for a picture that a client sent. */
  provenance: Provenance | null;
};

function storedColumns(sql: Db): ReturnType<Db> {
  return sql`asset.position, asset.key, asset.thumbnail_key, asset.content_type, asset.width, asset.height,
    asset.duration_seconds, asset.bytes, asset.provenance`;
}

/**
 * The outputs of one generation that are reserved or stored, in order of position: by one snapshot, so that none that is
 * stored meanwhile hides another. `isCopying`: a copy may still store it.
 */
export async function listAssets(sql: Db, { accountId, generationId }: OutputsOf, at: Date) {
  return sql<(StoredAsset & { isStored: boolean; isCopying: boolean | null })[]>`
    select ${storedColumns(sql)}, stored_at is not null as is_stored, stored_at is null and copying_until > ${at} as is_copying
    from delivery.assets asset
    where account_id = ${accountId} and owner_id = ${generationId}
    order by position`;
}

/** `token`: what an output's keys are made with. Unless it is stored, all but that is null. */
export type ReservedAsset = StoredAsset & { token: string; isStored: boolean };

/** The names are those of the columns. */
export type Reservation = {
  accountId: string;
  /** The generation. */
  ownerId: string;
  position: number;
  mode: ModeName;
  /** Used for the keys of an output that has none yet. */
  token: string;
  reservedAt: Date;
  copyingUntil: Date;
  expiresAt: Date | null;
};

type OutputKey = Pick<Reservation, "accountId" | "ownerId" | "position">;

/**
 * Reserves outputs, and records that those not stored yet are copied until `copyingUntil`. What is reserved already keeps
 * its token and its end. Null for each whose generation's outputs are discarded. It does not wait for the disk: what a
 * crash of the server takes back is at most an object without a row, which the sweep deletes, and an output that is
 * stored again. Rejects if an output is named twice.
 */
async function reserveAssets(sql: Db, wanted: readonly Reservation[]) {
  const rows = await sql<(ReservedAsset & OutputKey)[]>`
    insert into delivery.assets as asset (account_id, owner_id, owner_kind, position, mode, token, reserved_at,
      copying_until, expires_at)
    select account_id, owner_id, 'generation', position, mode, token, reserved_at, copying_until, expires_at
    from jsonb_populate_recordset(null::delivery.assets, ${jsonRecords(sql, wanted)}) it,
      set_config('synchronous_commit', 'off', true)
    where not exists ( -- Apart: joined, all may be read for a plan that was made while there were few.
      select from delivery.discarded_outputs discarded
      where discarded.account_id = it.account_id and discarded.generation_id = it.owner_id offset 0)
    order by account_id, owner_id, position
    on conflict (account_id, owner_id, position) do update
      set copying_until = case when asset.stored_at is null then excluded.copying_until end
      where asset.discarded_at is null
    returning ${storedColumns(sql)}, account_id, owner_id, token, stored_at is not null as is_stored`;
  const keyOf = ({ accountId, ownerId, position }: OutputKey) =>
    `${accountId} ${ownerId} ${position}`;
  const reserved = new Map(rows.map((row) => [keyOf(row), row]));
  return wanted.map((one): ReservedAsset | null => reserved.get(keyOf(one)) ?? null);
}

/** The token is the one that the keys were made with, and the thumbnail's key that of one that can be made later. */
export type NewAsset = Omit<StoredAsset, "bytes"> & {
  token: string;
  bytes: number;
  sha256: string;
  storedAt: Date;
};

/** Null for each that is reserved under another token, was discarded or is to be deleted: no row refers to its object. */
export async function recordAssetsIfReserved(sql: Db, assets: readonly NewAsset[]) {
  const tokens = assets.map(({ token }) => token);
  const rows = await sql<(StoredAsset & { token: string })[]>`
    with reserved as materialized ( -- Locked in the order of reserves, so that no two calls wait for each other.
      select token from delivery.assets where token = any(${tokens}::text[])
      order by account_id, owner_id, position for update
    )
    update delivery.assets asset
    set key = it.key, thumbnail_key = coalesce(asset.thumbnail_key, it.thumbnail_key), content_type = it.content_type,
      width = it.width, height = it.height, duration_seconds = it.duration_seconds, bytes = it.bytes,
      sha256 = it.sha256, provenance = it.provenance, stored_at = coalesce(asset.stored_at, it.stored_at)
    from reserved join jsonb_populate_recordset(null::delivery.assets, ${jsonRecords(sql, assets)}) it using (token)
    -- Joined alone, all are read for a plan that was made while there were few.
    where asset.token = any(${tokens}::text[]) and asset.token = it.token
      and asset.discarded_at is null and asset.delete_at is null and not exists (
      select from delivery.discarded_outputs discarded
      where discarded.account_id = asset.account_id and discarded.generation_id = asset.owner_id offset 0)
    returning asset.token, ${storedColumns(sql)}`;
  return assets.map((asset): StoredAsset | null => {
    return rows.find(({ token }) => token === asset.token) ?? null;
  });
}

export type AssetWrites = ReturnType<typeof batchedAssets>;

/** Batches the writes of a process by account, so that none waits for another's; each is of one output. */
export function batchedAssets(sql: Sql) {
  const batched = <In, Out>(write: (sql: Sql, items: readonly In[]) => Promise<Out[]>) =>
    batchByKey<In, Out>({ run: (_accountId, items) => write(sql, items) });
  return { reserve: batched(reserveAssets), record: batched(recordAssetsIfReserved) };
}

/** Records the thumbnail of a stored output. False if that is to be deleted: then no row refers to this object. */
export async function recordThumbnailIfStored(
  sql: Db,
  token: string,
  thumbnail: { key: string; bytes: number },
): Promise<boolean> {
  const updated = await sql`
    update delivery.assets
    set thumbnail_key = ${thumbnail.key}, thumbnail_bytes = ${thumbnail.bytes}
    where token = ${token} and stored_at is not null and delete_at is null
    returning 1`;
  return updated.length > 0;
}

export type TokenRow = {
  token: string;
  accountId: string;
  /** The generation of an output, or a client's file. */
  ownerId: string;
  ownerKind: "generation" | "file";
  mode: ModeName;
  key: string | null;
  thumbnailKey: string | null;
  isStored: boolean;
  /** Or marked for deletion. */
  isDeleted: boolean;
};

/** The rows that hold these tokens; unknown tokens have none. */
export async function findByTokens(sql: Db, tokens: readonly string[]): Promise<TokenRow[]> {
  return sql<TokenRow[]>`
    select account_id, owner_id, owner_kind, mode, token, key, thumbnail_key, stored_at is not null as is_stored,
      delete_at is not null as is_deleted
    from delivery.assets where token = any(${tokens as string[]})`;
}

/**
 * Gives an output that is not stored another token, so that objects under the old one can be deleted: a copy still
 * running with the old token can no longer be recorded. False if the output is stored by now.
 */
export async function replaceTokenIfUnstored(sql: Db, token: string, fresh: string) {
  const rows = await sql`
    update delivery.assets set token = ${fresh}
    where token = ${token} and stored_at is null
    returning 1`;
  return rows.length > 0;
}
