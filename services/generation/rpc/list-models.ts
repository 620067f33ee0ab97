/** ListModels: reads the catalog with an account's prices and the availability in a mode. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeName } from "#runtime/mode.ts";
import { modelFor } from "../catalog/model-for.ts";
import type { Deps } from "../deps.ts";

/** Fails if billing cannot be reached, because the account's prices are unknown then. */
export function listModels(deps: Deps): ServiceImpl<typeof GenerationService>["listModels"] {
  return async (request) => {
    const mode = modeName(request.mode);
    const discounts = await deps.discounts(request.accountId);
    const models = deps.catalog
      .models()
      .flatMap(({ id }) => modelFor(deps.catalog, deps.upstreams, mode, discounts, id) ?? []);
    return { models };
  };
}
