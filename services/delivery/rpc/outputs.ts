/** The RPCs on outputs: storing results of upstreams, finding and discarding them, deleting what generations have. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OutputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { kindName, modeName } from "#vocabulary/names.ts";
import type { CopyResult } from "../copy/copy-output.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { USED_MS } from "../domain/file.ts";
import { possibleKeys } from "../storage/object-store.ts";
import {
  discardUnstored,
  insertDiscardedOutput,
  markOlderForDeletion,
  markOwnedForDeletion,
} from "../store/asset-deletions.ts";
import { listAssets, type StoredAsset } from "../store/assets.ts";
import { releaseFiles } from "../store/files.ts";
import {
  deleteAccountWebhooks,
  deleteWebhooks as deleteWebhooksOf,
} from "../store/webhook-deliveries.ts";

function toOutput(asset: StoredAsset): MessageInitShape<typeof OutputSchema> {
  return { ...fieldsOf(asset), duration: asset.durationSeconds ?? undefined };
}

export const outputRpcs = (deps: Deps) =>
  ({
    storeOutput: storeOutput(deps),
    async findOutput({ accountId, generationId }) {
      const assets = await listAssets(deps.sql, { accountId, generationId }, deps.clock.now());
      const stored = assets.filter(({ isStored }) => isStored);
      const copying = assets.filter(({ isCopying }) => isCopying).length;
      return { output: stored.map(toOutput), missing: assets.length - stored.length, copying };
    },
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
    async eraseAccount({ accountId }) {
      const at = deps.clock.now();
      const kept = { accountId, storedBefore: at, at, limit: ROWS_PER_CALL };
      const { outputs } = await markOlderForDeletion(deps.sql, kept);
      const hasNoRows = await deleteAccountWebhooks(deps.sql, accountId, ROWS_PER_CALL);
      return { done: hasNoRows && outputs < ROWS_PER_CALL };
    },
  }) satisfies Partial<Rpcs>;

const ROWS_PER_CALL = 1_000;

/**
 * Marks what is stored of the generation for deletion, refuses to store more, and deletes the objects of copies that
 * ended before they recorded them. A running copy deletes its own object. Rejects when the database or the storage fails;
 * repeated, it does what is left.
 */
async function discardOutputs(
  { sql, store }: Deps,
  generation: { accountId: string; generationId: string; at: Date },
): Promise<void> {
  // Committed first: what is recorded before it is marked below, and nothing is recorded after it.
  await insertDiscardedOutput(sql, generation);
  const unrecorded = await discardUnstored(sql, generation);
  await markOwnedForDeletion(sql, { ...generation, ownerId: generation.generationId });
  await Promise.all(unrecorded.flatMap(possibleKeys).map((key) => store.delete(key)));
}

/** How long FindOutput counts on a copy that may have ended with its process; an image is copied in seconds. */
const MAX_COPY_MS = 60_000;

const FAILED = "copy of output failed";

function storeOutput({ clock, log, assets, copyOutput }: Deps): Rpcs["storeOutput"] {
  return async (request) => {
    const { accountId, generationId, sources } = request;
    const kind = kindName(request.kind);
    const mode = modeName(request.mode);
    const at = clock.now();
    const keepMs = USED_MS[mode];
    const reservation = {
      accountId,
      ownerId: generationId,
      mode,
      reservedAt: at,
      copyingUntil: addMs(at, MAX_COPY_MS),
      expiresAt: keepMs === null ? null : addMs(at, keepMs),
    };
    // All before the first is copied, so that FindOutput knows what is missing.
    const reserved = await Promise.all(
      sources.map(async (source, position) => {
        const token = randomToken();
        const asset = await assets.reserve(accountId, { ...reservation, position, token });
        return asset && { ...asset, source };
      }),
    );
    const outputs = reserved.filter((output) => output !== null);
    if (outputs.length < sources.length) {
      throw refusal({
        reason: ErrorReason.SOURCE_GONE,
        field: "generation_id",
        message: "the generation has ended without success; nothing of it is stored any more",
      });
    }
    const results = await Promise.all(
      outputs.map(async ({ token, source, ...asset }, position): Promise<CopyResult> => {
        if (asset.isStored) return { outcome: "stored", asset };
        const fields = { account_id: accountId, generation_id: generationId, position };
        try {
          const result = await copyOutput({ accountId, generationId, token, kind, source });
          if (result.outcome !== "stored") log.warn({ ...fields, ...result }, FAILED);
          return result;
        } catch (err) {
          log.error({ ...fields, err }, FAILED);
          return { outcome: "retryable", reason: "storage failed" };
        }
      }),
    );
    return { output: storedOf(results).map(toOutput) };
  };
}

const { UNAVAILABLE, UNREADABLE_FILE, SOURCE_GONE } = ErrorReason;
const FAULTS = {
  refused: [UNREADABLE_FILE, "the upstream's file is of another kind, damaged or truncated"],
  gone: [SOURCE_GONE, "the upstream's file is gone; it can no longer be copied"],
  retryable: [UNAVAILABLE, "a file could not be copied now; call again with the same request"],
} as const;

/** Throws if a copy can be tried again, also where others are stored, and if no file can be had. */
function storedOf(results: readonly CopyResult[]): StoredAsset[] {
  const fault = ([reason, message]: readonly [ErrorReason, string]) =>
    refusal({ reason, field: "sources", message });
  const outcomes = new Set(results.map(({ outcome }) => outcome));
  if (outcomes.has("retryable")) throw fault(FAULTS.retryable);
  if (outcomes.has("stored"))
    return results.flatMap((result) => (result.outcome === "stored" ? [result.asset] : []));
  throw fault(outcomes.has("refused") ? FAULTS.refused : FAULTS.gone);
}
