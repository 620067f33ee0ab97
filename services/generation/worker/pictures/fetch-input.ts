/** Fetches a client's picture through the delivery service, whose HTTP client refuses private addresses. */
import type { Client } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import type { Picture } from "../../domain/job.ts";

/** "unreadable": the URL has no picture that can be used. "unreachable": a later try may find one. */
export type FetchedInput = Picture | "unreadable" | "unreachable";

/** Throws if the delivery service did not answer, which says nothing about the picture. */
export type FetchInput = (url: string, signal: AbortSignal) => Promise<FetchedInput>;

export function inputFetcher(
  delivery: Pick<Client<typeof DeliveryService>, "fetchInput">,
): FetchInput {
  return async (url, signal) => {
    try {
      const { content, contentType } = await delivery.fetchInput({ url }, { signal });
      return { content, contentType };
    } catch (error) {
      const [fault] = faultsOf(error);
      // A fault of delivery itself has the reason UNAVAILABLE too, but names no field.
      if (fault?.field !== "url") throw error;
      return fault.reason === ErrorReason.UNAVAILABLE ? "unreachable" : "unreadable";
    }
  };
}
