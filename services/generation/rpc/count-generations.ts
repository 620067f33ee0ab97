/** CountGenerations: how many generations a search finds and what they cost, within a bound. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { MAX_COUNTED } from "#runtime/postgres/count-newest.ts";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { countGenerations as countRows, type Totals } from "../store/totals.ts";
import type { Deps } from "./deps.ts";
import { filterOf, MAX_LOOKED_AT, SEARCH_MS, searchTurns } from "./search-generations.ts";

export function countGenerations(
  deps: Pick<Deps, "sql" | "clock">,
): ServiceImpl<typeof GenerationService>["countGenerations"] {
  const takeTurn = searchTurns<Totals>();
  return async (request, { values }) => {
    const filter = filterOf(request);
    if (!filter) return {};
    // Words are looked for in parts, between which the search may end.
    const part = filter.words.length > 0 ? MAX_LOOKED_AT : MAX_COUNTED;
    const startedMs = deps.clock.monotonicMs();
    const sum = { count: 0n, tokens: 0n };
    let after: Totals["last"];
    let lookedAt = 0;
    do {
      const search = { ...filter, after, maxLookedAt: part };
      const found = await takeTurn(request.accountId, values, () => countRows(deps.sql, search));
      sum.count += found.count;
      sum.tokens += found.tokens;
      lookedAt += found.lookedAt;
      after = found.last;
    } while (after && lookedAt < MAX_COUNTED && deps.clock.monotonicMs() - startedMs < SEARCH_MS);
    return { ...sum, ...(after && { countedBackTo: timestampFromDate(after.createdAt) }) };
  };
}
