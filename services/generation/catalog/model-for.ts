/** A model as it stands for one caller: the catalog's entry at their prices, with what the routes say of it. */
import { create } from "@bufbuild/protobuf";
import { Availability, ModelSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { Upstreams } from "../upstreams/index.ts";
import { discounted } from "../domain/discount.ts";
import type { Discounts } from "../domain/discount.ts";
import type { Catalog } from "./catalog.ts";

export function modelFor(
  catalog: Catalog,
  providers: Upstreams,
  mode: ModeName,
  discounts: Discounts,
  id: string,
): Model | undefined {
  const model = catalog.find(id);
  if (!model) return undefined;
  const priced = discounted(model, discounts);
  return create(ModelSchema, { ...priced, availability: availability(model, mode, providers) });
}

function availability(model: Model, mode: ModeName, providers: Upstreams): Availability {
  if (model.availability !== Availability.AVAILABLE) return model.availability;
  if (!model.pricing) return Availability.PRICING_UNVERIFIED;
  return providers.isServed(mode, model.id) ? Availability.AVAILABLE : Availability.NO_ROUTE;
}
