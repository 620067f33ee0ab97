/** The RPCs on how long an account keeps the content of its generations. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "./deps.ts";
import { findRetention, setRetention as storeRetention } from "../store/content-retention.ts";

export function getRetention(deps: Deps): ServiceImpl<typeof GenerationService>["getRetention"] {
  return async ({ accountId }) => {
    const days = await findRetention(deps.sql, accountId);
    return days === undefined ? {} : { days };
  };
}

export function setRetention(deps: Deps): ServiceImpl<typeof GenerationService>["setRetention"] {
  return async ({ accountId, days = null }) => {
    await storeRetention(deps.sql, accountId, days);
    return {};
  };
}
