/** Applies a server-sent event to the query cache, and invalidates the queries whose data it does not carry. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { Generation, Mode, Schemas } from "../api/client.ts";
import { queryKeys } from "../data/query-keys.ts";
import { isFinished } from "../data/generation.ts";

type GenerationUpdate = Schemas["GenerationUpdate"];
type Pages = InfiniteData<Schemas["GenerationList"]>;

/** Updates status and progress in place; a finished generation is fetched again in full. */
export function applyUpdate(
  client: QueryClient,
  keyPrefix: readonly [string, Mode],
  update: GenerationUpdate,
): void {
  let isKnown = false;
  const patched = (generation: Generation): Generation => {
    if (generation.id !== update.id) return generation;
    isKnown = true;
    if (isFinished(generation)) return generation;
    const progress = Math.max(generation.progress, update.progress);
    return { ...generation, status: update.status, progress } as Generation;
  };
  const lists = { queryKey: queryKeys.generations(keyPrefix) };
  for (const queryKey of [lists.queryKey, queryKeys.searches(keyPrefix)]) {
    client.setQueriesData<Pages>({ queryKey }, (cached) => {
      const pages = cached?.pages.map((page) => ({ ...page, data: page.data.map(patched) }));
      return cached && pages && { ...cached, pages };
    });
  }
  const generation = { queryKey: queryKeys.generation(keyPrefix, update.id) };
  if (!isFinished(update)) {
    client.setQueryData<Schemas["GenerationView"]>(
      generation.queryKey,
      (cached) => cached && { ...cached, generation: patched(cached.generation) },
    );
    if (!isKnown) void client.invalidateQueries(lists);
    return;
  }
  for (const queryKey of [
    generation.queryKey,
    lists.queryKey,
    queryKeys.usage(keyPrefix),
    queryKeys.money(keyPrefix),
  ]) {
    void client.invalidateQueries({ queryKey });
  }
}

export function applyBalance(
  client: QueryClient,
  accountId: string,
  balance: Schemas["Balance"],
): void {
  client.setQueryData<Schemas["BalanceList"]>(
    queryKeys.balances(accountId),
    (cached) =>
      cached && {
        ...cached,
        data: cached.data.map((one) => (one.mode === balance.mode ? balance : one)),
      },
  );
}
