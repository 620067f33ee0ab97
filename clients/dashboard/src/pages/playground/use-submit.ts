/** Sends the playground's request. Sending it again before there is a final answer creates no second generation. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Generation } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../session/scope.ts";
import type { ImageBody, VideoBody } from "./form-values.ts";
import { requestKeys } from "./request-keys.ts";

export type Request = { kind: "video"; body: VideoBody } | { kind: "image"; body: ImageBody };
export type Submit = ReturnType<typeof useSubmit>;

export function useSubmit() {
  const { keyPrefix, params, account } = useScope();
  const client = useQueryClient();
  const [keys] = useState(() => requestKeys());
  const mutation = useMutation({
    mutationFn: async ({ kind, body, key }: Request & { key: string }): Promise<Generation> => {
      const options = { params: { ...params, header: { "Idempotency-Key": key } } };
      return kind === "video"
        ? unwrap(api.POST("/accounts/{account_id}/videos/generations", { ...options, body }))
        : unwrap(api.POST("/accounts/{account_id}/images/generations", { ...options, body }));
    },
    onSettled: (_created, error) => {
      keys.settle(error);
      void client.invalidateQueries({ queryKey: queryKeys.generations(keyPrefix) });
      void client.invalidateQueries({ queryKey: queryKeys.balances(account.id) });
    },
  });
  const press = (request: Request) => {
    const key = keys.press(JSON.stringify(request.body), performance.now());
    if (key !== undefined) mutation.mutate({ ...request, key });
  };
  return { ...mutation, press };
}
