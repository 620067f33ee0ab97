/** A model as one caller sees it: the catalog's entry with the caller's prices and its availability in a mode. */
import { create } from "@bufbuild/protobuf";
import { Availability, ModelSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { Upstreams } from "../upstreams/index.ts";
import { discounted } from "../domain/discount.ts";
import type { Discounts } from "../domain/discount.ts";
import type { Catalog } from "./catalog.ts";

/** Undefined if the catalog has no model of that id. */
export function modelFor(
  catalog: Catalog,
  upstreams: Upstreams,
  mode: ModeName,
  discounts: Discounts,
  id: string,
): Model | undefined {
  const model = catalog.find(id);
  if (!model) return undefined;
  const priced = discounted(model, discounts);
  return create(ModelSchema, { ...priced, availability: availability(model, mode, upstreams) });
}

function availability(model: Model, mode: ModeName, upstreams: Upstreams): Availability {
  if (model.availability !== Availability.AVAILABLE) return model.availability;
  if (!model.pricing) return Availability.PRICING_UNVERIFIED;
  return upstreams.isServed(mode, model.id) ? Availability.AVAILABLE : Availability.NO_ROUTE;
}
