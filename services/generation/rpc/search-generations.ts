/** SearchGenerations and FindGenerations: an account's videos and images by words, key, the lists' filters, or their ids. */
import type { Message } from "@bufbuild/protobuf";
import type { ContextValues, ServiceImpl } from "@connectrpc/connect";
import type {
  GenerationService,
  SearchGenerationsRequest,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
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
  type SearchFilter,
} from "../store/lists.ts";
import { dateOf, findCursor } from "./read-generations.ts";

/** About 10 ms of Postgres; 0.1 s where prompts have 5,000 letters, 1.5 s where they and a word of 200 are all but alike. */
export const MAX_LOOKED_AT = 2_000;
/** How long a search by words goes on where it finds too little. */
export const SEARCH_MS = 500;
const MAX_WORDS = 10;
/** Searches of one account that wait for the one that is in progress. */
const MAX_WAITING = 10;
const BOTH = ["video", "image"] as const;

export function searchGenerations(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["searchGenerations"] {
  const takeTurn = searchTurns<Found>();
  return async (request, { values }) => {
    const { accountId, limit } = request;
    const filter = filterOf(request);
    if (!filter) return {};
    const { mode, kinds, words, keyId } = filter;
    const isSearch = words.length > 0 || keyId !== undefined;
    const search = {
      ...filter,
      after: await findCursor(deps, { accountId, mode, kinds }, request.after),
      limit: limit + 1,
      maxLookedAt: isSearch ? MAX_LOOKED_AT : limit + 1,
    };
    const read = (part: Search) => searchRows(deps.sql, part);
    const inTurn = (part: Search) => takeTurn(accountId, values, () => read(part));
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

export function findGenerations({
  sql,
}: Pick<Deps, "sql">): ServiceImpl<typeof GenerationService>["findGenerations"] {
  return async ({ accountId, generationIds, requestId }) => {
    const ids = generationIds.filter(isGenerationId);
    const rows = await findByIds(sql, accountId, { ids, requestId });
    return { generations: rows.map(toGeneration) };
  };
}

/** Takes the turns of searches: an account has one at a time in each process, so that nobody takes all connections to Postgres. */
export function searchTurns<T>() {
  const inTurn = batchByKey<() => Promise<T>, T>({
    maxBatch: 1,
    queue: { max: MAX_WAITING, full: tooMany },
    run: (_accountId, searches) => Promise.all(searches.map((search) => search())),
  });
  return (accountId: string, values: ContextValues, search: () => Promise<T>): Promise<T> => {
    const turn = values.get(turnKey);
    turn?.pause();
    return inTurn(accountId, () => {
      turn?.resume();
      return search();
    });
  };
}

/** The filters of a search; undefined where nothing can pass them. */
export function filterOf(
  request: Omit<SearchGenerationsRequest, keyof Message | "limit" | "after">,
): SearchFilter | undefined {
  const { accountId, model, words: text = "", keyId, endUser } = request;
  // Postgres cannot store NUL, and the rules of text look at no id.
  if (keyId?.includes("\0")) return undefined;
  return {
    accountId,
    mode: modeName(request.mode),
    kinds: request.kind === undefined ? BOTH : [kindName(request.kind)],
    status: generationStatusName(request.status),
    model,
    endUser,
    createdAfter: dateOf(request.createdAfter),
    createdBefore: dateOf(request.createdBefore),
    words: wordsOf(text),
    keyId: keyId === undefined ? undefined : keyId || null,
  };
}

function tooMany(): Error {
  return refusal({ reason: ErrorReason.UNAVAILABLE, message: "too many searches; try again" });
}

function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return [...new Set(words)].slice(0, MAX_WORDS);
}
