/** Whether a retry has the same content as the request that first used its key. */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { inputToJson, type GenerationRow } from "./generation.ts";
import { withDefaults, type Input } from "./plan.ts";

/**
 * The name of a field that differs, or undefined if the requests are the same. A field that the retry omits takes the
 * stored value if the first request omitted it too, else the current default.
 */
export function differingField(
  row: Pick<GenerationRow, "model" | "input" | "defaulted">,
  modelId: string,
  model: Model | undefined,
  given: Input,
): string | undefined {
  if (row.model !== modelId) return "model";
  const { input, defaulted } = withDefaults(model, given);
  // The input is compared as it would be read again, because -0 is stored as 0.
  const retried = JSON.parse(JSON.stringify(inputToJson(input))) as JsonObject;
  for (const field of defaulted) {
    if (row.defaulted.includes(field) && row.input[field] !== undefined) {
      retried[field] = row.input[field];
    }
  }
  const fields = new Set([...Object.keys(row.input), ...Object.keys(retried)]);
  // What an omitted field means that is not stored.
  const meant: Partial<JsonObject> = { n: 1, resolution: model?.resolution };
  const differs = (field: string) =>
    !isDeepStrictEqual(row.input[field] ?? meant[field], retried[field] ?? meant[field]);
  return [...fields].find(differs);
}
