/** SearchGenerations: an account's videos and images by words, key and the lists' filters. */
import type { ContextValues, ServiceImpl } from "@connectrpc/connect";
import type {
  GenerationService,
  SearchGenerationsRequest,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { generationStatusName, kindName, modeName } from "#vocabulary/names.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { batchByKey } from "#runtime/postgres/batch.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { turnKey } from "#runtime/rpc/server/interceptors.ts";
import type { Deps } from "./deps.ts";
import { toGeneration } from "../domain/generation.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { searchGenerations as searchRows, type Found, type SearchFilter } from "../store/lists.ts";
import { dateOf, findCursor } from "./read-generations.ts";

/** About 10 ms of Postgres; 0.1 s where prompts have 5,000 letters, 1.5 s where they and a word of 200 are all but alike. */
const MAX_LOOKED_AT = 2_000;
const MAX_WORDS = 10;
/** Searches of one account that wait for the one that is in progress. */
const MAX_WAITING = 10;
const BOTH = ["video", "image"] as const;

export function searchGenerations(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["searchGenerations"] {
  const takeTurn = searchTurns();
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
    const read = () => searchRows(deps.sql, search);
    const { rows, last } = await (isSearch ? takeTurn(accountId, values, read) : read());
    const page = rows.slice(0, limit);
    const end = rows.length > limit ? page.at(-1) : last;
    return {
      generations: page.map(toGeneration),
      ...(end ? { nextAfter: end.id, searchedBackTo: timestampFromDate(end.createdAt) } : {}),
    };
  };
}

/** An account has one search at a time in a process, so that it never takes all connections to Postgres. */
function searchTurns() {
  const inTurn = batchByKey<() => Promise<Found>, Found>({
    maxBatch: 1,
    queue: { max: MAX_WAITING, full: tooMany },
    run: (_accountId, searches) => Promise.all(searches.map((search) => search())),
  });
  return (accountId: string, values: ContextValues, search: () => Promise<Found>) => {
    const turn = values.get(turnKey);
    turn?.pause();
    return inTurn(accountId, () => {
      turn?.resume();
      return search();
    });
  };
}

/** The filters of a search; undefined where nothing can pass them. */
function filterOf(request: SearchGenerationsRequest): SearchFilter | undefined {
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
