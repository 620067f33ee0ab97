/** GetRetention: how long the content of an account's generations is kept. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { findRetention } from "../store/content-retention.ts";

export function getRetention(deps: Deps): ServiceImpl<typeof GenerationService>["getRetention"] {
  return async ({ accountId }) => {
    const days = await findRetention(deps.sql, accountId);
    return days === undefined ? {} : { days };
  };
}
