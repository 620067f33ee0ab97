/** SearchGenerations: reads a page of an account's videos and images, newest first, by prompt, key and the lists' filters. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { generationStatusName } from "#vocabulary/generation-status.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { turnKey } from "#runtime/rpc/server/interceptors.ts";
import { kindName } from "#vocabulary/kind.ts";
import { modeName } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { toGeneration } from "../domain/generation.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { searchGenerations as searchRows, type Found } from "../store/lists.ts";
import { dateOf, findCursor } from "./read-generations.ts";

/** About 10 ms of Postgres; 0.3 s where prompts have 5,000 letters and all words are searched for. */
const MAX_LOOKED_AT = 2_000;
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
    const { accountId, limit, model, prompt = "", keyId } = request;
    // Postgres cannot store NUL, so that nothing has such a name or prompt.
    if ([model, prompt, keyId].some((text) => text?.includes("\0"))) return {};
    const mode = modeName(request.mode);
    const kinds = request.kind === undefined ? BOTH : [kindName(request.kind)];
    const words = wordsOf(prompt);
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
    const read = () => searchRows(deps.sql, search);
    const inTurn = () => {
      turn?.pause();
      return searchInTurn(accountId, () => {
        turn?.resume();
        return read();
      });
    };
    const { rows, last } = await (isSearch ? inTurn() : read());
    const page = rows.slice(0, limit);
    const nextAfter = rows.length > limit ? page.at(-1)?.id : last;
    return { generations: page.map(toGeneration), ...(nextAfter ? { nextAfter } : {}) };
  };
}

function tooMany(): Error {
  return refusal({ reason: ErrorReason.UNAVAILABLE, message: "too many searches; try again" });
}

function wordsOf(prompt: string): string[] {
  const words = prompt.split(/\s+/).filter((word) => word !== "");
  return [...new Set(words)].slice(0, MAX_WORDS);
}
