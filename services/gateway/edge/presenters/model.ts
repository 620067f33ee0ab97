/** Presents a model of the catalog with its rules and price. */
import { CREATE_FIELDS, type CreateField } from "#gen/openapi/create-fields.ts";
import type { components } from "#gen/openapi/media.ts";
import {
  Availability,
  Kind,
  type Model,
  type ModelParameter,
  type Pricing,
  type PricingTier,
  type Surcharge,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { required } from "./required.ts";

type Schemas = components["schemas"];
type PublicModel = Schemas["Model"];
type Reason = NonNullable<PublicModel["unavailable_reason"]>;

const INPUTS: readonly Schemas["ModelInput"][] = ["text", "image", "video"];
const UNITS: readonly Schemas["Pricing"]["unit"][] = ["second", "image"];
const REASONS: Partial<Record<number, Reason>> = {
  [Availability.PRICING_UNVERIFIED]: "pricing_unverified",
  [Availability.DISABLED]: "disabled",
  [Availability.NO_ROUTE]: "no_route",
};

export function presentModel(model: Model): PublicModel {
  const isVideo = model.kind === Kind.VIDEO;
  const { durations } = model;
  return {
    id: model.id,
    object: "model",
    kind: isVideo ? "video" : "image",
    inputs: model.inputs.map(inputOf),
    required_inputs: model.requiredInputs.map(inputOf),
    ...availabilityOf(model),
    ...(model.resolution === undefined ? {} : { resolution: model.resolution }),
    ...(durations
      ? {
          durations: {
            min: durations.min,
            max: durations.max,
            step: durations.step,
            default: durations.default,
          },
        }
      : {}),
    ...(isVideo ? { aspect_ratios: [...model.aspectRatios] } : {}),
    ...(model.defaultAspectRatio === undefined
      ? {}
      : { default_aspect_ratio: model.defaultAspectRatio }),
    sizes: [...model.sizes],
    ...(model.defaultSize === undefined ? {} : { default_size: model.defaultSize }),
    max_reference_images: model.maxReferenceImages,
    fields: CREATE_FIELDS[isVideo ? "video" : "image"]
      .filter((field) => takes(model, field))
      .map(({ name }) => name),
    parameters: Object.fromEntries(
      Object.entries(model.parameters).map(([name, one]) => [name, presentParameter(one)]),
    ),
    pricing: model.pricing ? presentPricing(model.pricing) : null,
  };
}

type Property = NonNullable<CreateField["property"]>;

/** Whether a model takes a field, by the property that says so. */
const TAKES: Readonly<Record<Property, (model: Model, name: string) => boolean>> = {
  inputs: ({ inputs }) => inputs.includes("image"),
  durations: ({ durations }) => durations !== undefined,
  aspect_ratios: ({ aspectRatios }) => aspectRatios.length > 0,
  sizes: ({ sizes }) => sizes.length > 0,
  parameters: ({ parameters }, name) => name in parameters,
};

function takes(model: Model, { name, property }: CreateField): boolean {
  return property === undefined || TAKES[property](model, name);
}

function availabilityOf(model: Model): Pick<PublicModel, "availability" | "unavailable_reason"> {
  if (model.availability === Availability.AVAILABLE) return { availability: "available" };
  return {
    availability: "unavailable",
    unavailable_reason: required(REASONS[model.availability]),
  };
}

function presentParameter({ values, max }: ModelParameter): Schemas["ModelParameter"] {
  return {
    ...(values.length === 0 ? {} : { values: [...values] }),
    ...(max === undefined ? {} : { max }),
  };
}

function presentPricing(pricing: Pricing): Schemas["Pricing"] {
  const { tokensPerReferenceImage, listTokens } = pricing;
  return {
    currency: "token",
    unit: required(UNITS.find((known) => known === pricing.unit)),
    unit_quantity: pricing.unitQuantity,
    tokens: Number(pricing.tokens),
    ...(listTokens === undefined ? {} : { list_tokens: Number(listTokens) }),
    ...(pricing.tiers.length === 0 ? {} : { tiers: pricing.tiers.map(presentTier) }),
    ...(tokensPerReferenceImage === undefined
      ? {}
      : { tokens_per_reference_image: Number(tokensPerReferenceImage) }),
    ...(pricing.surcharges.length === 0
      ? {}
      : { surcharges: pricing.surcharges.map(presentSurcharge) }),
  };
}

function presentSurcharge(surcharge: Surcharge): Schemas["Surcharge"] {
  const { parameter, value, tokens, listTokens } = surcharge;
  return {
    parameter,
    ...(value === undefined ? {} : { value }),
    tokens: Number(tokens),
    ...(listTokens === undefined ? {} : { list_tokens: Number(listTokens) }),
  };
}

function presentTier({ tier, sizes, tokens, listTokens }: PricingTier): Schemas["PricingTier"] {
  return {
    tier,
    sizes: [...sizes],
    tokens: Number(tokens),
    ...(listTokens === undefined ? {} : { list_tokens: Number(listTokens) }),
  };
}

function inputOf(input: string): Schemas["ModelInput"] {
  return required(INPUTS.find((known) => known === input));
}
