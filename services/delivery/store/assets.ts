/** Stored outputs, and the tokens reserved for outputs that are not stored yet. */
import type { ModeName } from "#vocabulary/names.ts";
import type { Db } from "#runtime/postgres/connect.ts";
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
  return sql`position, key, thumbnail_key, content_type, width, height, duration_seconds, bytes,
    provenance`;
}

/**
 * The outputs of one generation that are reserved or stored, in order of position: by one snapshot, so that none that is
 * stored meanwhile hides another. `isCopying`: a copy may still store it.
 */
export async function listAssets(sql: Db, { accountId, generationId }: OutputsOf, at: Date) {
  return sql<(StoredAsset & { isStored: boolean; isCopying: boolean | null })[]>`
    select ${storedColumns(sql)}, stored_at is not null as is_stored, stored_at is null and copying_until > ${at} as is_copying
    from delivery.assets
    where account_id = ${accountId} and owner_id = ${generationId}
    order by position`;
}

/** `token`: what an output's keys are made with. Unless it is stored, all but that is null. */
export type ReservedAsset = StoredAsset & { token: string; isStored: boolean };

/**
 * Reserves each output from the first on, with the token for its keys, and records that those not stored yet are copied
 * until `copyingUntil`. What is reserved already keeps its token and its end. Returns the outputs in order of position;
 * none if the generation's outputs are discarded. It does not wait for the disk: what a crash of the server takes back
 * is at most an object without a row, which the sweep deletes, and an output that is stored again.
 */
export async function reserveAssets(
  sql: Db,
  { accountId, generationId, mode }: OutputsOf & { mode: ModeName },
  tokens: readonly string[],
  { at, copyingUntil, expiresAt }: { at: Date; copyingUntil: Date; expiresAt: Date | null },
): Promise<ReservedAsset[]> {
  return sql<ReservedAsset[]>`
    with reserved as (
      insert into delivery.assets as asset (account_id, owner_id, owner_kind, position, mode, token, reserved_at,
        copying_until, expires_at)
      select ${accountId}, ${generationId}, 'generation', ordinal - 1, ${mode}, token, ${at}, ${copyingUntil},
        ${expiresAt}::timestamptz
      from unnest(${tokens as string[]}::text[]) with ordinality as reserved (token, ordinal),
        set_config('synchronous_commit', 'off', true)
      where not exists (select from delivery.discarded_outputs discarded
        where discarded.account_id = ${accountId} and discarded.generation_id = ${generationId})
      on conflict (account_id, owner_id, position) do update
        set copying_until = case when asset.stored_at is null then excluded.copying_until end
        where asset.discarded_at is null
      returning ${storedColumns(sql)}, token, stored_at is not null as is_stored
    )
    select * from reserved order by position`;
}

/** The token is the one that the keys were made with, and the thumbnail's key that of one that can be made later. */
export type NewAsset = Omit<StoredAsset, "bytes"> & {
  token: string;
  bytes: number;
  sha256: string;
  at: Date;
};

/** Undefined if the output is reserved under another token, or was discarded: no row refers to this object. */
export async function recordAssetIfReserved(
  sql: Db,
  asset: NewAsset,
): Promise<StoredAsset | undefined> {
  const [row] = await sql<StoredAsset[]>`
    update delivery.assets asset
    set key = ${asset.key}, thumbnail_key = coalesce(thumbnail_key, ${asset.thumbnailKey}),
      content_type = ${asset.contentType}, width = ${asset.width}, height = ${asset.height},
      duration_seconds = ${asset.durationSeconds}, bytes = ${asset.bytes}, sha256 = ${asset.sha256},
      provenance = ${asset.provenance}, stored_at = coalesce(stored_at, ${asset.at})
    where token = ${asset.token} and discarded_at is null
      and not exists (select from delivery.discarded_outputs discarded
        where discarded.account_id = asset.account_id and discarded.generation_id = asset.owner_id)
    returning ${storedColumns(sql)}`;
  return row;
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
