/** Puts what an event says into what is kept, and asks for what it leaves open. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { Generation, Mode, Schemas } from "../api/client.ts";
import { keys } from "../data/keys.ts";
import { isFinished } from "../data/generation.ts";

type Update = Schemas["GenerationUpdate"];
type Pages = InfiniteData<Schemas["GenerationList"]>;

/** The status and progress at once; everything else of a generation that ended is asked for. */
export function applyUpdate(
  client: QueryClient,
  scope: readonly [string, Mode],
  update: Update,
): void {
  let isKnown = false;
  const patched = (generation: Generation): Generation => {
    if (generation.id !== update.id) return generation;
    isKnown = true;
    if (isFinished(generation)) return generation;
    const progress = Math.max(generation.progress, update.progress);
    return { ...generation, status: update.status, progress } as Generation;
  };
  const lists = { queryKey: keys.generations(scope) };
  client.setQueriesData<Pages>(lists, (kept) => {
    const pages = kept?.pages.map((page) => ({ ...page, data: page.data.map(patched) }));
    return kept && pages && { ...kept, pages };
  });
  const one = { queryKey: keys.generation(scope, update.id) };
  if (!isFinished(update)) {
    client.setQueryData<Schemas["GenerationView"]>(
      one.queryKey,
      (kept) => kept && { ...kept, generation: patched(kept.generation) },
    );
    if (!isKnown) void client.invalidateQueries(lists);
    return;
  }
  for (const queryKey of [one.queryKey, lists.queryKey, keys.usage(scope), keys.money(scope)]) {
    void client.invalidateQueries({ queryKey });
  }
}

export function applyBalance(
  client: QueryClient,
  accountId: string,
  balance: Schemas["Balance"],
): void {
  client.setQueryData<Schemas["BalanceList"]>(
    keys.balances(accountId),
    (kept) =>
      kept && {
        ...kept,
        data: kept.data.map((one) => (one.mode === balance.mode ? balance : one)),
      },
  );
}
