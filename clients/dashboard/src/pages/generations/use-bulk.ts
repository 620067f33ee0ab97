/** Deletes or cancels generations, and brings what the pages have loaded up to date. */
import { useRef, useState } from "react";
import { useMutation, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { api, unwrap, type Generation, type Schemas } from "../../api/client.ts";
import { messageOf, Refusal } from "../../api/refusal.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { useScope } from "../../data/scope.ts";
import { someAtATime } from "../../data/some-at-a-time.ts";

export type BulkKind = "delete" | "cancel";

export type NotDone = { generation: Generation; reason: string };

/** By code; the server's messages are for programs there. */
const REASONS: Record<string, string> = {
  not_cancelable: "Being made already, and could not be stopped; goes on to its end.",
  already_finished: "Had ended before.",
};

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
    const list = queryKeys.generations(keyPrefix);
    client.setQueriesData<Pages>({ queryKey: list }, (cached) => {
      const pages = cached?.pages.map((page) => ({
        ...page,
        data: page.data.filter(({ id }) => !ids.includes(id)),
      }));
      return cached && pages && { ...cached, pages };
    });
    for (const id of ids) client.removeQueries({ queryKey: queryKeys.generation(keyPrefix, id) });
    await refetch(client, list, queryKeys.deliveries(keyPrefix));
  };
}

/** Cancels one; throws a Refusal. */
function useCancelOne(): (id: string) => Promise<void> {
  const { params } = useScope();
  return async (id) => {
    const path = { ...params.path, id };
    await unwrap(
      api.POST("/accounts/{account_id}/generations/{id}/cancel", { params: { ...params, path } }),
    );
  };
}

/**
 * Deletes or cancels several, some at a time; a failure of one leaves the others. `onDone` hears what was done and what was
 * not, also when the user has stopped it.
 */
export function useBulk(kind: BulkKind, onDone: (done: string[], failures: NotDone[]) => void) {
  const { keyPrefix } = useScope();
  const client = useQueryClient();
  const one = { delete: useDeleteOne(), cancel: useCancelOne() }[kind];
  const forget = useForget();
  const [handled, setHandled] = useState(0);
  const isStopped = useRef(false);
  const run = useMutation({
    mutationFn: async (generations: readonly Generation[]) => {
      isStopped.current = false;
      setHandled(0);
      const { done, failures } = await someAtATime(generations, ({ id }) => one(id), {
        onHandled: setHandled,
        isStopped: () => isStopped.current,
      });
      return {
        done: done.map(({ id }) => id),
        failures: failures.map(({ entry, error }) => ({
          generation: entry,
          reason: reasonOf(error),
        })),
      };
    },
    onSuccess: ({ done, failures }) => {
      onDone(done, failures);
      if (kind === "delete") void forget(done);
      else void refetch(client, queryKeys.generations(keyPrefix));
    },
  });
  const stop = () => {
    isStopped.current = true;
  };
  return { run, stop, handled };
}

function reasonOf(error: unknown): string {
  return (error instanceof Refusal && REASONS[error.code]) || messageOf(error);
}
