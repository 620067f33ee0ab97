/** GetGeneration and ListGenerations. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { kindName, type KindName } from "#vocabulary/kind.ts";
import { modeName } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { toGeneration, type GenerationRow } from "../domain/generation.ts";
import { findVisible, type Address } from "../store/find-generation.ts";
import { deleted, notFound, notInList } from "./refusals.ts";
import { timestampDate, timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { addMs } from "#runtime/clock.ts";
import { generationStatusName } from "#vocabulary/generation-status.ts";
import { listGenerations as listRows } from "../store/lists.ts";

/** Errors: NOT_FOUND, also for a generation of another account, mode or kind; GENERATION_DELETED. */
export function getGeneration(deps: Deps): ServiceImpl<typeof GenerationService>["getGeneration"] {
  return async (request) => {
    const { accountId, generationId: id } = request;
    const address = { accountId, mode: modeName(request.mode), kind: kindName(request.kind), id };
    const row = await findVisible(deps.find, address);
    if (!row) throw notFound(id);
    if (row.deletedAt) throw deleted();
    const generation = toGeneration(row);
    const estimate = await estimatedCompletion(deps, row);
    if (estimate) generation.estimatedCompletionAt = timestampFromDate(estimate);
    return { generation };
  };
}

/** Undefined where nothing is known, and once the time has passed. */
async function estimatedCompletion(
  { clock, durations }: Pick<Deps, "clock" | "durations">,
  { kind, status, startedAt, mode, model }: GenerationRow,
): Promise<Date | undefined> {
  if (kind !== "video" || status !== "processing" || !startedAt) return undefined;
  const typicalMs = await durations.knownMs(mode, model);
  const estimate = typicalMs === undefined ? undefined : addMs(startedAt, typicalMs);
  return estimate && estimate > clock.now() ? estimate : undefined;
}

/**
 * `after` is the id of the last generation of the previous page. Errors: NOT_FOUND (field "after") if it is not in the
 * list.
 */
export function listGenerations(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["listGenerations"] {
  return async (request) => {
    const { accountId, limit } = request;
    const list = { accountId, mode: modeName(request.mode), kind: kindName(request.kind) };
    const rows = await listRows(deps.sql, {
      ...list,
      status: generationStatusName(request.status),
      model: request.model,
      endUser: request.endUser,
      createdAfter: dateOf(request.createdAfter),
      createdBefore: dateOf(request.createdBefore),
      after: await findCursor(deps, { ...list, kinds: [list.kind] }, request.after),
      limit: limit + 1,
      isOldestFirst: request.oldestFirst,
    });
    return { generations: rows.slice(0, limit).map(toGeneration), hasMore: rows.length > limit };
  };
}

export async function findCursor(
  deps: Pick<Deps, "find">,
  list: Omit<Address, "id" | "kind"> & { kinds: readonly KindName[] },
  after: string | undefined,
): Promise<GenerationRow | undefined> {
  if (after === undefined) return undefined;
  for (const kind of list.kinds) {
    const row = await findVisible(deps.find, { ...list, kind, id: after });
    if (row) return row;
  }
  throw notInList();
}

export function dateOf(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp && timestampDate(timestamp);
}
