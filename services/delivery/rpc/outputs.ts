/** The RPCs on stored outputs, and on the deletion of what delivery keeps of generations. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { countMissingAssets, listStoredAssets, type StoredAsset } from "../store/assets.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { releaseFiles } from "../store/files.ts";
import { deleteWebhooks as deleteWebhooksOf } from "../store/webhook-deliveries.ts";
import { possibleKeys, type ObjectStore } from "../storage/object-store.ts";
import { discardAssets, insertDiscardedOutput } from "../store/asset-deletions.ts";

export function toOutput(asset: StoredAsset): MessageInitShape<typeof OutputSchema> {
  return {
    key: asset.key,
    thumbnailKey: asset.thumbnailKey ?? undefined,
    contentType: asset.contentType,
    width: asset.width,
    height: asset.height,
    duration: asset.durationSeconds ?? undefined,
    bytes: asset.bytes,
    provenance: asset.provenance ?? undefined,
  };
}

export const outputRpcs = (deps: Deps) =>
  ({
    findOutput: ({ accountId, generationId }) =>
      // One snapshot of both: an output that is stored in between must not hide another that is only reserved.
      deps.sql.begin("isolation level repeatable read", async (tx) => {
        const { missing, copying } = await countMissingAssets(
          tx,
          { accountId, generationId },
          deps.clock.now(),
        );
        const stored = await listStoredAssets(tx, accountId, generationId);
        return { output: stored.map(toOutput), missing, copying };
      }),
    async discardOutput({ accountId, generationId }) {
      await discardOutputs(deps, { accountId, generationId, at: deps.clock.now() });
      return {};
    },
    /** Each statement is whole in itself: after a failure the call is repeated. */
    async deleteGeneration({ accountId, generationId }) {
      const at = deps.clock.now();
      await deleteWebhooksOf(deps.sql, { accountId, generationId, at });
      await discardOutputs(deps, { accountId, generationId, at });
      await releaseFiles(deps.sql, { accountId, generationId }, at);
      deps.wakeDeletion();
      return {};
    },
    async deleteWebhooks({ accountId, generationIds }) {
      const at = deps.clock.now();
      for (const generationId of generationIds) {
        await deleteWebhooksOf(deps.sql, { accountId, generationId, at });
        await releaseFiles(deps.sql, { accountId, generationId }, at);
      }
      return {};
    },
  }) satisfies Partial<Rpcs>;

/**
 * Marks what is stored of the generation for deletion, refuses to store more, and deletes the objects of copies that
 * ended before they recorded them. A running copy deletes its own object. Rejects when the database or the storage fails;
 * repeated, it does what is left.
 */
export async function discardOutputs(
  { sql, store }: { sql: Sql; store: Pick<ObjectStore, "delete"> },
  generation: { accountId: string; generationId: string; at: Date },
): Promise<void> {
  // Committed first: what is recorded before it is marked below, and nothing is recorded after it.
  await insertDiscardedOutput(sql, generation);
  const unrecorded = await sql.begin((tx) => discardAssets(tx, generation));
  await Promise.all(unrecorded.flatMap(possibleKeys).map((key) => store.delete(key)));
}
