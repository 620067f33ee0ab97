/** SearchGenerations and FindGenerations: an account's videos and images by words, key, the lists' filters, or their ids. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { generationStatusName } from "#vocabulary/generation-status.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isGenerationId } from "#runtime/id.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { turnKey } from "#runtime/rpc/server/interceptors.ts";
import { kindName } from "#vocabulary/kind.ts";
import { modeName } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { toGeneration } from "../domain/generation.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import {
  findByIds,
  searchGenerations as searchRows,
  type Found,
  type Search,
} from "../store/lists.ts";
import { dateOf, findCursor } from "./read-generations.ts";

/** About 10 ms of Postgres; 0.1 s where prompts have 5,000 letters, 1.5 s where they and a word of 200 are all but alike. */
const MAX_LOOKED_AT = 2_000;
/** How long a search by words goes on where it finds too little. */
const SEARCH_MS = 500;
const MAX_WORDS = 10;
/** Searches of one account that wait for the one that is in progress. */
const MAX_WAITING = 10;
const BOTH = ["video", "image"] as const;

export function searchGenerations(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["searchGenerations"] {
  // One at a time of an account in each process, so that nobody's searches take all connections to Postgres.
  const searchInTurn = batchByKey<() => Promise<Found>, Found>({
    maxBatch: 1,
    queue: { max: MAX_WAITING, full: tooMany },
    run: (_accountId, searches) => Promise.all(searches.map((search) => search())),
  });
  return async (request, { values }) => {
    const turn = values.get(turnKey);
    const { accountId, limit, model, words: text = "", keyId } = request;
    // Postgres cannot store NUL, so that nothing has such a name or prompt.
    if ([model, text, keyId].some((given) => given?.includes("\0"))) return {};
    const mode = modeName(request.mode);
    const kinds = request.kind === undefined ? BOTH : [kindName(request.kind)];
    const words = wordsOf(text);
    const isSearch = words.length > 0 || keyId !== undefined;
    const search = {
      accountId,
      mode,
      kinds,
      status: generationStatusName(request.status),
      model,
      createdAfter: dateOf(request.createdAfter),
      createdBefore: dateOf(request.createdBefore),
      after: await findCursor(deps, { accountId, mode, kinds }, request.after),
      words,
      keyId: keyId === undefined ? undefined : keyId || null,
      limit: limit + 1,
      maxLookedAt: isSearch ? MAX_LOOKED_AT : limit + 1,
    };
    const read = (part: Search) => searchRows(deps.sql, part);
    const inTurn = (part: Search) => {
      turn?.pause();
      return searchInTurn(accountId, () => {
        turn?.resume();
        return read(part);
      });
    };
    const maxMs = words.length > 0 ? SEARCH_MS : 0;
    const { rows, last } = await searchOn(deps, search, isSearch ? inTurn : read, maxMs);
    const page = rows.slice(0, limit);
    const end = rows.length > limit ? page.at(-1) : last;
    return {
      generations: page.map(toGeneration),
      ...(end ? { nextAfter: end.id, searchedBackTo: timestampFromDate(end.createdAt) } : {}),
    };
  };
}

/** Begins again where a search stopped, until it has found enough, has looked at everything, or `maxMs` have passed. */
async function searchOn(
  { clock }: Pick<Deps, "clock">,
  search: Search,
  find: (part: Search) => Promise<Found>,
  maxMs: number,
): Promise<Found> {
  const startedMs = clock.monotonicMs();
  const rows: Found["rows"] = [];
  let after = search.after;
  for (;;) {
    const found = await find({ ...search, after, limit: search.limit - rows.length });
    rows.push(...found.rows);
    after = found.last;
    const isOver = clock.monotonicMs() - startedMs >= maxMs;
    if (!after || rows.length === search.limit || isOver) return { rows, last: after };
  }
}

/** FindGenerations: reads generations by their ids, or by the request that created them. */
export function findGenerations({
  sql,
}: Pick<Deps, "sql">): ServiceImpl<typeof GenerationService>["findGenerations"] {
  return async ({ accountId, generationIds, requestId }) => {
    const ids = generationIds.filter(isGenerationId);
    const rows = await findByIds(sql, accountId, { ids, requestId });
    return { generations: rows.map(toGeneration) };
  };
}

function tooMany(): Error {
  return refusal({ reason: ErrorReason.UNAVAILABLE, message: "too many searches; try again" });
}

function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return [...new Set(words)].slice(0, MAX_WORDS);
}
