/** The models as an account sees them. */
import { Availability, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeName, type ModeName } from "#vocabulary/names.ts";
import type { Upstreams } from "../upstreams/upstreams.ts";
import { basisPointsOf, discounted, type Discounts } from "../domain/discount.ts";
import { sizeText } from "../domain/job.ts";
import type { Deps, Rpcs } from "./deps.ts";

type ModelDeps = Pick<Deps, "catalog" | "upstreams">;

/** What `modelFor` has made of each model of a catalog, by discount and availability. */
const made = new WeakMap<Model, Map<string, Model>>();

/** Undefined if the catalog has no model of that id. The same message each time: do not change it. */
export function modelFor(
  { catalog, upstreams }: ModelDeps,
  mode: ModeName,
  discounts: Discounts,
  id: string,
): Model | undefined {
  const model = catalog.find(id);
  if (!model) return undefined;
  const available = availability(model, mode, upstreams);
  const key = `${basisPointsOf(model, discounts)} ${available}`;
  const known = made.get(model) ?? new Map<string, Model>();
  made.set(model, known);
  const seen = known.get(key);
  if (seen) return seen;
  const fresh = { ...discounted(model, discounts), availability: available };
  known.set(key, fresh);
  return fresh;
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
