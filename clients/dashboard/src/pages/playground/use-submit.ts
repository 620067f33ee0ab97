/** Sends the playground's request; sending it again after a network error creates no second generation. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Generation } from "../../api/client.ts";
import { Refusal } from "../../api/refusal.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../session/scope.ts";
import type { ImageBody, VideoBody } from "./form-values.ts";

export type Request = { kind: "video"; body: VideoBody } | { kind: "image"; body: ImageBody };
export type Submit = ReturnType<typeof useSubmit>;

const KEY_BYTES = 16;

export function useSubmit() {
  const { keyPrefix, params, account } = useScope();
  const client = useQueryClient();
  const pending = useRef<{ request: string; key: string }>(undefined);
  return useMutation({
    mutationFn: async ({ kind, body }: Request): Promise<Generation> => {
      const request = JSON.stringify(body);
      if (pending.current?.request !== request) pending.current = { request, key: randomKey() };
      const header = { "Idempotency-Key": pending.current.key };
      const options = { params: { ...params, header } };
      return kind === "video"
        ? unwrap(api.POST("/accounts/{account_id}/videos/generations", { ...options, body }))
        : unwrap(api.POST("/accounts/{account_id}/images/generations", { ...options, body }));
    },
    onSettled: (_created, error) => {
      // Any answer, also an error, settles the request. Without one, the key is kept for the retry.
      if (!error || error instanceof Refusal) pending.current = undefined;
      void client.invalidateQueries({ queryKey: queryKeys.generations(keyPrefix) });
      void client.invalidateQueries({ queryKey: queryKeys.balances(account.id) });
    },
  });
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
