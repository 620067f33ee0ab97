/** EnableUrl: enables a disabled URL and resumes the deliveries that were stopped. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { deleteDisabledUrl } from "../store/disabled-urls.ts";
import { waitForRunningClaims } from "../store/webhook-claims.ts";
import { resumeStoppedDeliveries } from "../store/webhook-deliveries.ts";

const BATCH = 1_000;

export function enableUrl(deps: Deps): ServiceImpl<typeof DeliveryService>["enableUrl"] {
  return async ({ accountId, mode, url }, { signal }) => {
    const { sql, clock } = deps;
    const owner = { accountId, mode: modeName(mode) };
    const wasDisabled = await deleteDisabledUrl(sql, owner, url);
    // A claim that still sees the URL as disabled may be stopping deliveries of it.
    await waitForRunningClaims(sql);
    let resumed = 0;
    let isFullBatch = true;
    while (isFullBatch && !signal.aborted) {
      const batch = { at: clock.now(), limit: BATCH };
      const count = await resumeStoppedDeliveries(sql, owner, url, batch);
      resumed += count;
      isFullBatch = count === BATCH;
    }
    if (resumed > 0) deps.wakeSender();
    return { wasDisabled, resumed };
  };
}
