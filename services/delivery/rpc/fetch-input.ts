/** FetchInput: the bytes of a picture that a client named. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";

export function fetchInput(deps: Deps): ServiceImpl<typeof DeliveryService>["fetchInput"] {
  return async ({ url }, { signal }) => {
    const result = await deps.fetchPicture(url, signal);
    if (result.outcome === "ok") {
      return { content: result.content, contentType: result.contentType };
    }
    // Only the host: the rest of a client's URL may be a secret.
    const host = URL.parse(url)?.host;
    deps.log.warn({ host, outcome: result.outcome, reason: result.reason }, "picture not fetched");
    throw refusal({
      reason: result.outcome === "retryable" ? ErrorReason.UNAVAILABLE : ErrorReason.INVALID_FIELD,
      field: "url",
      // One sentence for all causes: what stands behind an address is not told to those who name it.
      message: "no readable picture of at most 20 MB could be fetched from this URL",
    });
  };
}
