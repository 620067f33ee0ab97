/** ListModels: the catalog as it stands for an account and mode. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeName } from "#runtime/mode.ts";
import { modelFor } from "../catalog/model-for.ts";
import type { Deps } from "../deps.ts";

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
