/** Deletes generations, and takes them out of what the pages have loaded. */
import { useMutation, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { api, unwrap, type Generation, type Schemas } from "../../api/client.ts";
import { messageOf } from "../../api/refusal.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { refetch } from "../../data/refetch.ts";
import { useScope } from "../../data/scope.ts";

/** What browsers send to one host at once, with room left for other requests. */
const AT_ONCE = 4;

export type NotDeleted = { generation: Generation; reason: string };

type Pages = InfiniteData<Schemas["GenerationList"]>;

/** Deletes one; throws a Refusal. */
export function useDeleteOne(): (id: string) => Promise<void> {
  const { params } = useScope();
  return async (id) => {
    const path = { ...params.path, id };
    await unwrap(
      api.DELETE("/accounts/{account_id}/generations/{id}", { params: { ...params, path } }),
    );
  };
}

/** Forgets deleted generations: lists lose them at once, and are then loaded again where they are. */
export function useForget(): (ids: readonly string[]) => Promise<void> {
  const { keyPrefix } = useScope();
  const client = useQueryClient();
  return async (ids) => {
    const lists = [queryKeys.generations(keyPrefix), queryKeys.searches(keyPrefix)];
    for (const queryKey of lists) {
      client.setQueriesData<Pages>({ queryKey }, (cached) => {
        const pages = cached?.pages.map((page) => ({
          ...page,
          data: page.data.filter(({ id }) => !ids.includes(id)),
        }));
        return cached && pages && { ...cached, pages };
      });
    }
    for (const id of ids) client.removeQueries({ queryKey: queryKeys.generation(keyPrefix, id) });
    await refetch(client, ...lists, queryKeys.totals(keyPrefix), queryKeys.deliveries(keyPrefix));
  };
}

/** Deletes several, some at a time; a failure of one leaves the others. Resolves with those that were not deleted. */
export function useBulkDeletion(onDone: (deleted: string[], failures: NotDeleted[]) => void) {
  const deleteOne = useDeleteOne();
  const forget = useForget();
  return useMutation({
    mutationFn: async (generations: readonly Generation[]) => {
      const failures: NotDeleted[] = [];
      const deleted: string[] = [];
      const waiting = [...generations];
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          try {
            await deleteOne(next.id);
            deleted.push(next.id);
          } catch (error) {
            failures.push({ generation: next, reason: messageOf(error) });
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return { deleted, failures };
    },
    onSuccess: ({ deleted, failures }) => {
      onDone(deleted, failures);
      void forget(deleted);
    },
  });
}
