/** A model as it stands for one mode: the catalog's entry, with what the routes add to its availability. */
import { create } from "@bufbuild/protobuf";
import { Availability, ModelSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { Providers } from "../providers/index.ts";
import type { Catalog } from "./catalog.ts";

export function modelFor(
  catalog: Catalog,
  providers: Providers,
  mode: ModeName,
  id: string,
): Model | undefined {
  const model = catalog.find(id);
  return (
    model && create(ModelSchema, { ...model, availability: availability(model, mode, providers) })
  );
}

function availability(model: Model, mode: ModeName, providers: Providers): Availability {
  if (model.availability !== Availability.AVAILABLE) return model.availability;
  if (!model.pricing) return Availability.PRICING_UNVERIFIED;
  return providers.route(mode, model.id) ? Availability.AVAILABLE : Availability.NO_ROUTE;
}
