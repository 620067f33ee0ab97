/** ListGenerations: reads a page of an account's generations, newest first. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { generationStatusName } from "#runtime/generation-status.ts";
import { kindName } from "#runtime/kind.ts";
import type { KindName } from "#runtime/kind.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { toGeneration } from "../domain/generation.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { findVisible } from "../store/find-generation.ts";
import type { Address } from "../store/find-generation.ts";
import { listGenerations as listRows } from "../store/lists.ts";
import { notInList } from "./refusals.ts";

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
    // Postgres cannot store NUL, so that no model has such a name.
    if (request.model?.includes("\0")) return {};
    const rows = await listRows(deps.sql, {
      ...list,
      status: generationStatusName(request.status),
      model: request.model,
      createdAfter: dateOf(request.createdAfter),
      createdBefore: dateOf(request.createdBefore),
      after: await findCursor(deps, { ...list, kinds: [list.kind] }, request.after),
      limit: limit + 1,
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
