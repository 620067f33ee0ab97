/** What a model takes in a field of a create, as sentences for who sent something else. */
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";

/** Empty where the model takes all that the field's own rules allow, or has no such field. */
export function whatModelTakes(model: Model, field: string): string {
  const { id, durations, aspectRatios, sizes, parameters } = model;
  switch (field) {
    case "duration": {
      if (!durations) return "";
      const steps = durations.step === 1 ? "" : ` in steps of ${durations.step}`;
      return `${id} makes videos of ${durations.min} to ${durations.max} seconds${steps}.`;
    }
    case "aspect_ratio":
      return makes(id, aspectRatios);
    case "size":
      return makes(id, sizes);
    default: {
      const parameter = parameters[field];
      if (!parameter) return takesAs(id, field);
      const { values, max } = parameter;
      const all = [...values, ...(max === undefined ? [] : [`at most ${max}`])].join(", ");
      return all === "" ? "" : takesAs(id, field, all);
    }
  }
}

/** Of a parameter; `allowed` is what the model takes of it, if anything. */
export function takesAs(modelId: string, field: string, allowed?: string): string {
  return allowed === undefined
    ? `${modelId} does not take ${field}. Leave it out, or choose a model whose parameters have it.`
    : `${modelId} takes as ${field}: ${allowed}.`;
}

function makes(modelId: string, values: readonly string[]): string {
  return values.length === 0 ? "" : `${modelId} makes ${values.join(", ")}.`;
}
