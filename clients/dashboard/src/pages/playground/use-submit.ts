/** Sends the playground's request; the same request sent again after a failure of the network is one create. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { answered, api } from "../../api/client.ts";
import type { Generation } from "../../api/client.ts";
import { Refusal } from "../../api/refusal.ts";
import { keys } from "../../data/keys.ts";
import { usePlace } from "../../session/scope.ts";
import type { ImageBody, VideoBody } from "./values.ts";

export type Request = { kind: "video"; body: VideoBody } | { kind: "image"; body: ImageBody };
export type Submit = ReturnType<typeof useSubmit>;

const KEY_BYTES = 16;

export function useSubmit() {
  const { scope, params, account } = usePlace();
  const client = useQueryClient();
  const pending = useRef<{ request: string; key: string }>(undefined);
  return useMutation({
    mutationFn: async ({ kind, body }: Request): Promise<Generation> => {
      const request = JSON.stringify(body);
      if (pending.current?.request !== request) pending.current = { request, key: randomKey() };
      const header = { "Idempotency-Key": pending.current.key };
      const options = { params: { ...params, header } };
      return kind === "video"
        ? answered(api.POST("/accounts/{account_id}/videos/generations", { ...options, body }))
        : answered(api.POST("/accounts/{account_id}/images/generations", { ...options, body }));
    },
    onSettled: (_made, error) => {
      // An answer, a refusal too, settles the request; only silence leaves it open.
      if (!error || error instanceof Refusal) pending.current = undefined;
      void client.invalidateQueries({ queryKey: keys.generations(scope) });
      void client.invalidateQueries({ queryKey: keys.balances(account.id) });
    },
  });
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
