/** CheckCallback: whether this service signed a callback's token. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { notIssued } from "./refusals.ts";

/** Errors: NOT_FOUND if this service did not sign the token. */
export function checkCallback(
  deps: Pick<Deps, "callbacks">,
): ServiceImpl<typeof GenerationService>["checkCallback"] {
  return ({ token }) => {
    if (!deps.callbacks.read(token)) throw notIssued();
    return {};
  };
}
