/** What a model takes in a field of a create, as sentences for who sent something else. */
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";

/** Empty where the model takes all that the field's own rules allow, or has no such field. */
export function whatModelTakes(model: Model, field: string): string {
  const { id, durations, aspectRatios, sizes, parameters } = model;
  switch (field) {
    case "duration": {
      if (!durations) return "";
      const steps = durations.step === 1 ? "" : ` in steps of ${durations.step}`;
      return takesAs(id, field, `${durations.min} to ${durations.max} seconds${steps}`);
    }
    case "aspect_ratio":
      return takesAs(id, field, aspectRatios.join(", "));
    case "size":
      return takesAs(id, field, sizes.join(", "));
    default: {
      const parameter = parameters[field];
      if (!parameter) return takesAs(id, field);
      const { values, max } = parameter;
      const all = [...values, ...(max === undefined ? [] : [`at most ${max}`])].join(", ");
      return takesAs(id, field, all);
    }
  }
}

/** `allowed` is undefined if the model does not take the field. Empty if there is nothing more to say. */
export function takesAs(modelId: string, field: string, allowed?: string): string {
  if (allowed === "") return "";
  return allowed === undefined
    ? `${modelId} does not take ${field}. Leave it out, or choose a model whose parameters have it.`
    : `${field}: ${modelId} takes ${allowed}.`;
}
