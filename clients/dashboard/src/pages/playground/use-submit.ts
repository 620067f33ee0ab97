/** Sends the playground's request. Sending it again before there is a final answer creates no second generation. */
import { useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap, type Generation } from "../../api/client.ts";
import { Refusal } from "../../api/refusal.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { keep, readKept } from "../../session/kept.ts";
import { useScope } from "../../data/scope.ts";
import type { Request } from "./form-values.ts";
import { requestKeys, type OpenRequest, type RequestKeys } from "./request-keys.ts";
import { useIsUploading } from "./use-upload.ts";
import { showResult } from "./shown-run.ts";

export type Submit = ReturnType<typeof useSubmit>;

/** One for each user, account and mode while the document is open: a request may outlive its page. */
const allKeys = new Map<string, RequestKeys>();

export function useSubmit() {
  const scope = useScope();
  const { keyPrefix, params, account, user, mode } = scope;
  const client = useQueryClient();
  const mutationKey = [...keyPrefix, "playground"];
  const keys = keysOf(`${user.id} ${account.id} ${mode} open request`);
  const mutation = useMutation({
    mutationKey,
    mutationFn: async ({ kind, body, key }: Request & { key: string }): Promise<Generation> => {
      const options = { params: { ...params, header: { "Idempotency-Key": key } } };
      return kind === "video"
        ? unwrap(api.POST("/accounts/{account_id}/videos/generations", { ...options, body }))
        : unwrap(api.POST("/accounts/{account_id}/images/generations", { ...options, body }));
    },
    onSuccess: ({ id }) => showResult(scope, id),
    onError: (error) => {
      const id = generationOf(error);
      if (id) showResult(scope, id);
    },
    onSettled: (_created, error) => {
      keys.settle(error);
      void refetch(client, queryKeys.generations(keyPrefix));
      void refetch(client, queryKeys.balances(account.id));
    },
  });
  const isUploading = useIsUploading();
  /** Whether it was sent. */
  const press = (request: Request): boolean => {
    if (isUploading) return false;
    const key = keys.press(JSON.stringify(request.body), performance.now());
    if (key !== undefined) mutation.mutate({ ...request, key });
    return key !== undefined;
  };
  // Counts also a request of this page before it was left.
  const isPending = useIsMutating({ mutationKey }) > 0;
  // A generation that failed is shown itself, with what became of its Tokens.
  const error = generationOf(mutation.error) ? null : mutation.error;
  return { error, isPending, isUploading, press, clear: mutation.reset };
}

function generationOf(error: unknown): string | undefined {
  return error instanceof Refusal ? error.details.generation_id : undefined;
}

function keysOf(name: string): RequestKeys {
  const known = allKeys.get(name);
  if (known) return known;
  const keys = requestKeys({
    read: () => readKept<OpenRequest>(name),
    write: (open) => keep(name, open),
  });
  allKeys.set(name, keys);
  return keys;
}
