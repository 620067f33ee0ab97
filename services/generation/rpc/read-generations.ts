/** GetGeneration, ListGenerations, SearchGenerations and FindEnded. */
import type { Message } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import type {
  GetGenerationRequest,
  ListGenerationsRequest,
  SearchGenerationsRequest,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import type { CompletionWaiter } from "#runtime/completion-waiters.ts";
import { isGenerationId } from "#runtime/id.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import { notFound as noSuch, refusal } from "#runtime/rpc/errors.ts";
import { turnKey } from "#runtime/rpc/server/interceptors.ts";
import {
  generationStatusName,
  generationStatusOf,
  isTerminal,
  kindName,
  modeName,
} from "#vocabulary/names.ts";
import { toGeneration, type GenerationRow, type GenerationView } from "../domain/generation.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { deleted, notFound } from "./refusals.ts";
import {
  findVisible,
  listGenerations as listRows,
  listStates,
  searchGenerations as searchRows,
  type Find,
  type Found,
  type Scope,
} from "../store/generations.ts";

export function readRpcs(deps: Deps) {
  const takeTurn = searchTurns();
  return {
    /** Errors: NOT_FOUND, also for a generation of another account, mode or kind; GENERATION_DELETED. */
    async getGeneration(request) {
      const row = await requireVisible(deps.findShown, request);
      if (row.deletedAt) throw deleted();
      const generation = toGeneration(row);
      const estimate = await estimatedCompletion(deps, row);
      if (estimate) generation.estimatedCompletionAt = timestampFromDate(estimate);
      return { generation };
    },
    /** Errors: NOT_FOUND (field "after") if `after` is not in the list. */
    async listGenerations(request) {
      const { limit } = request;
      const kind = kindName(request.kind);
      const filter = commonFilter(request);
      const rows = await listRows(deps.sql, {
        ...filter,
        kind,
        after: await findCursor(deps, { ...filter, kinds: [kind] }, request.after),
        limit: limit + 1,
        isOldestFirst: request.oldestFirst,
      });
      return { generations: rows.slice(0, limit).map(toGeneration), hasMore: rows.length > limit };
    },
    async findEnded({ generations, withStates }) {
      // Clients choose these names; one that is no id must not fail the look for all others.
      const named = generations.filter(({ generationId: id }) => isGenerationId(id));
      const found = await listStates(deps.sql, named, { onlyEnded: !withStates });
      return {
        generationIds: found.filter(({ status }) => isTerminal(status)).map(({ id }) => id),
        states: found
          .filter(({ status }) => !isTerminal(status))
          .map(({ id, status, progress }) => ({
            generationId: id,
            status: generationStatusOf(status),
            progress,
          })),
      };
    },
    async searchGenerations(request, { values }) {
      const { limit, keyId } = request;
      // Postgres cannot store NUL, and the rules of text look at no id.
      if (keyId?.includes("\0")) return {};
      const kinds = request.kind === undefined ? BOTH_KINDS : [kindName(request.kind)];
      const filter = { ...commonFilter(request), kinds };
      const words = wordsOf(request.words ?? "");
      const isSearch = words.length > 0 || keyId !== undefined;
      const search = {
        ...filter,
        words,
        keyId: keyId === undefined ? undefined : keyId || null,
        after: await findCursor(deps, filter, request.after),
        limit: limit + 1,
        maxLookedAt: isSearch ? MAX_LOOKED_AT : limit + 1,
      };
      const read = () => searchRows(deps.sql, search);
      const { rows, last } = await (isSearch ? takeTurn(request.accountId, values, read) : read());
      const page = rows.slice(0, limit);
      const end = rows.length > limit ? page.at(-1) : last;
      return {
        generations: page.map(toGeneration),
        ...(end ? { nextAfter: end.id, searchedBackTo: timestampFromDate(end.createdAt) } : {}),
      };
    },
  } satisfies Rpcs;
}

export async function requireVisible<Row extends Pick<GenerationRow, "mode" | "kind">>(
  find: Find<Row>,
  { accountId, generationId: id, mode, kind }: Omit<GetGenerationRequest, keyof Message>,
): Promise<Row> {
  const scope = { accountId, mode: modeName(mode), kinds: [kindName(kind)] };
  const row = await findVisible(find, scope, id);
  if (!row) throw notFound(id);
  return row;
}

/** Undefined where nothing is known, and once the time has passed. */
async function estimatedCompletion(
  { clock, typicalTimes }: Pick<Deps, "clock" | "typicalTimes">,
  { kind, status, startedAt, mode, model }: GenerationView,
): Promise<Date | undefined> {
  if (kind !== "video" || status !== "processing" || !startedAt) return undefined;
  const typicalMs = await typicalTimes.knownMs(mode, model);
  const estimate = typicalMs === undefined ? undefined : addMs(startedAt, typicalMs);
  return estimate && estimate > clock.now() ? estimate : undefined;
}

/** The row that `after` names; refused if there is none in the list, or `isListed` says no. */
export async function findCursor(
  { findShown }: Pick<Deps, "findShown">,
  scope: Scope,
  after: string | undefined,
  isListed: (row: GenerationView) => boolean = () => true,
): Promise<GenerationView | undefined> {
  if (after === undefined) return undefined;
  const row = await findVisible(findShown, scope, after);
  if (row && isListed(row)) return row;
  throw noSuch("after", "after must be the id of a generation of this list");
}

const SETTLE_WITHIN_MS = 10_000;
/** The row is read again without a signal, because another process may end it. */
const READ_AGAIN_MS = 500;
/** What an answer needs of its call's deadline. */
const ANSWER_WITHIN_MS = 2_000;
const NOT_SETTLED_YET = {
  reason: ErrorReason.UNAVAILABLE,
  message: "The end is decided; its Tokens are restored in a moment. Read the generation again.",
};

/**
 * Waits until a generation whose end is decided has ended, in this process or in another. Refuses with UNAVAILABLE after
 * 10 s. `waiter` is the row's, and older than `row`, so that no end is missed in between.
 */
export async function settled(
  deps: Pick<Deps, "clock" | "find">,
  waiter: CompletionWaiter,
  row: GenerationRow,
  { signal, timeoutMs }: HandlerContext,
): Promise<GenerationRow> {
  // A repeated call has less time left, because all tries have one deadline.
  const leftMs = (timeoutMs() ?? Infinity) - ANSWER_WITHIN_MS;
  const giveUpAt = addMs(deps.clock.now(), Math.min(SETTLE_WITHIN_MS, leftMs));
  let current = row;
  while (!isTerminal(current.status)) {
    if (deps.clock.now() >= giveUpAt || signal.aborted) throw refusal(NOT_SETTLED_YET);
    await waiter.wait(READ_AGAIN_MS, signal);
    current = (await deps.find(row.accountId, row.id)) ?? current;
  }
  return current;
}

/** About 10 ms of Postgres; 0.1 s where prompts have 5,000 letters, 1.5 s where they and a word of 200 are all but alike. */
const MAX_LOOKED_AT = 2_000;
const MAX_WORDS = 10;
/** Searches of one account that wait for the one that is in progress. */
const MAX_WAITING = 10;
export const BOTH_KINDS = ["video", "image"] as const;

/** An account has one search at a time in a process, so that it never takes all connections to Postgres. */
function searchTurns() {
  const tooMany = { reason: ErrorReason.UNAVAILABLE, message: "too many searches; try again" };
  const inTurn = batchByKey<() => Promise<Found>, Found>({
    maxBatch: 1,
    queue: { max: MAX_WAITING, full: () => refusal(tooMany) },
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

function commonFilter(request: ListGenerationsRequest | SearchGenerationsRequest) {
  return {
    accountId: request.accountId,
    mode: modeName(request.mode),
    status: generationStatusName(request.status),
    model: request.model,
    endUser: request.endUser,
    createdAfter: request.createdAfter && timestampDate(request.createdAfter),
    createdBefore: request.createdBefore && timestampDate(request.createdBefore),
  };
}

function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return [...new Set(words)].slice(0, MAX_WORDS);
}
