/** SetRetention: sets how long the content of an account's generations is kept. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { callerKey } from "#runtime/rpc/access.ts";
import type { Deps } from "../deps.ts";
import { setRetention as storeRetention } from "../store/content-retention.ts";

export function setRetention(deps: Deps): ServiceImpl<typeof GenerationService>["setRetention"] {
  return async ({ accountId, days = null }, { values }) => {
    const by = values.get(callerKey);
    await storeRetention(deps.sql, { accountId, days, at: deps.clock.now(), by });
    return {};
  };
}
