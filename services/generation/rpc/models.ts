/** The models as an account sees them. */
import { Availability, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeName, type ModeName } from "#vocabulary/names.ts";
import type { Upstreams } from "../upstreams/upstreams.ts";
import { discounted, type Discounts } from "../domain/discount.ts";
import { sizeText } from "../domain/job.ts";
import type { Deps, Rpcs } from "./deps.ts";

type ModelDeps = Pick<Deps, "catalog" | "upstreams">;

/** Undefined if the catalog has no model of that id. */
export function modelFor(
  { catalog, upstreams }: ModelDeps,
  mode: ModeName,
  discounts: Discounts,
  id: string,
): Model | undefined {
  const model = catalog.find(id);
  if (!model) return undefined;
  return { ...discounted(model, discounts), availability: availability(model, mode, upstreams) };
}

export function modelsFor(deps: ModelDeps, mode: ModeName, discounts: Discounts): Model[] {
  return deps.catalog.models().flatMap(({ id }) => modelFor(deps, mode, discounts, id) ?? []);
}

function availability(model: Model, mode: ModeName, upstreams: Upstreams): Availability {
  if (model.availability !== Availability.AVAILABLE) return model.availability;
  if (!model.pricing) return Availability.PRICING_UNVERIFIED;
  return upstreams.of(mode, model.id).length > 0 ? Availability.AVAILABLE : Availability.NO_ROUTE;
}

export function modelRpcs(deps: Deps) {
  return {
    /** Fails if billing cannot be reached, because the account's prices are unknown then. */
    async listModels(request) {
      const mode = modeName(request.mode);
      const discounts = await deps.discounts(request.accountId);
      const models = modelsFor(deps, mode, discounts);
      // None for an image model, which has no aspect ratios.
      const framesOf = (model: Model) =>
        model.aspectRatios.map((ratio) => sizeText(deps.catalog.frame(model, ratio)));
      return { models: models.map((one) => ({ ...one, frames: framesOf(one) })) };
    },
  } satisfies Rpcs;
}
