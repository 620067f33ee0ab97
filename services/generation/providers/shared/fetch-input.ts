/** Fetches clients' pictures through the delivery service, whose HTTP client refuses private addresses. */
import type { Client } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import type { FetchInput } from "./adapter.ts";

const UNREADABLE = {
  code: "invalid_input",
  message:
    "The image could not be read from its URL. It must be a public picture of at most 20 MB. Nothing was charged.",
} as const;

/** The fetcher throws if a retry may succeed. */
export function inputFetcher(delivery: Client<typeof DeliveryService>): FetchInput {
  return async (url, signal) => {
    try {
      const { content, contentType } = await delivery.fetchInput({ url }, { signal });
      return { content, contentType };
    } catch (error) {
      if (reasonOf(error) === ErrorReason.INVALID_FIELD) return { failure: UNREADABLE };
      throw error;
    }
  };
}
