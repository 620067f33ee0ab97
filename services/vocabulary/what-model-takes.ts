/** What a model takes in a field of a create, as sentences for who sent something else. */
import { Availability, Kind, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { didYouMean, nearestName } from "#runtime/did-you-mean.ts";
import { meantValue } from "./meant-value.ts";

/** Empty where the model takes all that the field's own rules allow. `all` are the models of the catalog. */
export function whatModelTakes(
  model: Model,
  field: string,
  value: unknown,
  all: () => readonly Model[],
): string {
  const { id, durations, aspectRatios, sizes, parameters } = model;
  switch (field) {
    case "duration": {
      if (!durations) return "";
      const steps = durations.step === 1 ? "" : ` in steps of ${durations.step}`;
      return takesAs(id, field, [`${durations.min} to ${durations.max} seconds${steps}`]);
    }
    case "aspect_ratio":
      return takesAs(id, field, aspectRatios, value);
    case "size":
      return takesAs(id, field, sizes, value);
    default: {
      const parameter = parameters[field];
      if (!parameter) return doesNotTake(model, field, all());
      const { values, max } = parameter;
      const allowed = [...values, ...(max === undefined ? [] : [`1 to ${max}`])];
      return takesAs(id, field, allowed, value);
    }
  }
}

/** With what was probably meant by `value`. Empty if there is nothing more to say. */
export function takesAs(
  modelId: string,
  field: string,
  allowed: readonly string[],
  value?: unknown,
): string {
  if (allowed.length === 0) return "";
  return `${field}: ${modelId} takes ${allowed.join(", ")}.${meantValue(value, allowed)}`;
}

/** Names the model that does, of those called most like this one. */
export function doesNotTake({ id, kind }: Model, field: string, all: readonly Model[]): string {
  const other = usableLike(id, all, (one) => one.kind === kind && field in one.parameters);
  const next =
    other === undefined
      ? "; no model takes it now"
      : `, or choose a model that does, such as ${other}`;
  return `${id} does not take ${field}. Leave it out${next}.`;
}

/** More models than these are not named in a message. */
const MAX_NAMED = 20;

/** What to use in place of a model that there is not, after a space; empty for too many. */
export function useOneOf(ids: readonly string[]): string {
  if (ids.length === 0 || ids.length > MAX_NAMED) return "";
  return ` Use ${ids.length === 1 ? "" : "one of "}${ids.join(", ")}.`;
}

/** The guides for ids of other services. */
const GUIDES: readonly [id: RegExp, guide: string][] = [
  [/^(sora|dall-e|gpt-image)-/i, "openai"],
  [/^fal-ai\//i, "fal"],
];

/** Where to read what to use in place of a model of another service, after a space; empty for other ids. */
function guideFor(id: string): string {
  const [, guide] = GUIDES.find(([pattern]) => pattern.test(id)) ?? [];
  return guide === undefined ? "" : ` /docs/guides/${guide} says what to use instead.`;
}

/** What to use in place of a model that there is not, of those in `known`, or in `fitting` where none is near. */
export function insteadOf(id: string, known: readonly string[], fitting = known): string {
  const guide = guideFor(id);
  const meant = guide === "" ? didYouMean(id, known) : "";
  return meant || `${useOneOf(fitting)}${guide}`;
}

/** For a create with a model that is not in the catalog; names those of the kind that it makes. */
export function noSuchModel(id: string, all: readonly Model[], wanted: Kind): string {
  const idsOf = (models: readonly Model[]) => models.map((one) => one.id);
  const instead = insteadOf(id, idsOf(all), idsOf(all.filter(({ kind }) => kind === wanted)));
  return `There is no model "${id}".${instead} GET /v1/models lists them.`;
}

/** For the model of a create of the other kind. */
export function isOfOtherRoute({ id, kind }: Pick<Model, "id" | "kind">): string {
  const path = kind === Kind.VIDEO ? "/v1/videos/generations" : "/v1/images/generations";
  return `${id} is not a model of this route. Send it to POST ${path}.`;
}

/** Of the available models that are `suitable`, the one that is called most like `id`. */
export function usableLike(
  id: string,
  all: readonly Model[],
  suitable: (model: Model) => boolean,
): string | undefined {
  const available = all.filter(({ availability }) => availability === Availability.AVAILABLE);
  const ids = available.filter(suitable).map((model) => model.id);
  return nearestName(id, ids, Infinity);
}
