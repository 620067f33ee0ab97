/** EnableUrl: a disabled URL gets webhooks again, those that were stopped first. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { deleteDisabledUrl } from "../store/disabled-urls.ts";
import { claimsBeforeEnded } from "../store/webhook-claims.ts";
import { resumeStoppedDeliveries } from "../store/webhook-deliveries.ts";

const BATCH = 1_000;

export function enableUrl(deps: Deps): ServiceImpl<typeof DeliveryService>["enableUrl"] {
  return async ({ accountId, mode, url }, { signal }) => {
    const { sql, clock } = deps;
    const owner = { accountId, mode: modeName(mode) };
    const wasDisabled = await deleteDisabledUrl(sql, owner, url);
    // One that still saw the URL disabled may be ending deliveries for that.
    await claimsBeforeEnded(sql);
    let resumed = 0;
    for (let last = BATCH; last === BATCH && !signal.aborted; resumed += last) {
      last = await resumeStoppedDeliveries(sql, owner, url, { at: clock.now(), limit: BATCH });
    }
    if (resumed > 0) deps.ringSender();
    return { wasDisabled, resumed };
  };
}
