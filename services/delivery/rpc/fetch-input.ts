/** FetchInput: fetches a picture from a URL that a client named. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "./deps.ts";

export function fetchInput(deps: Deps): ServiceImpl<typeof DeliveryService>["fetchInput"] {
  return async ({ url }, { signal }) => {
    const result = await deps.fetchPicture(url, signal);
    if (result.outcome === "ok") {
      return { content: result.content, contentType: result.contentType };
    }
    deps.log.warn({ outcome: result.outcome, reason: result.reason }, "picture not fetched");
    throw refusal({
      reason: result.outcome === "retryable" ? ErrorReason.UNAVAILABLE : ErrorReason.INVALID_FIELD,
      field: "url",
      // The message is the same for all causes, so that clients cannot probe addresses with it.
      message: "no readable picture of at most 20 MB could be fetched from this URL",
    });
  };
}
