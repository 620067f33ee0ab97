/** What a generation's row asks of an upstream. */
import { VideoInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Job } from "../providers/provider.ts";
import { inputFromJson } from "./generation.ts";
import type { GenerationRow } from "./generation.ts";
import { parseSize } from "./size.ts";

export function jobOf(row: GenerationRow, token: string, catalog: Catalog): Job {
  const input = inputFromJson(row.kind, row.input);
  const model = catalog.find(row.model);
  const common = {
    token,
    mode: row.mode,
    model: row.model,
    prompt: input.prompt,
    ...(input.negativePrompt === undefined ? {} : { negativePrompt: input.negativePrompt }),
    metadata: input.metadata,
  };
  if (input.$typeName === VideoInputSchema.typeName) {
    const frame = model ? catalog.frame(model, input.aspectRatio ?? "") : parseSize("");
    return {
      ...common,
      ...frame,
      imageUrls: input.imageUrl === undefined ? [] : [input.imageUrl],
      durationSeconds: input.duration ?? 0,
    };
  }
  return {
    ...common,
    ...parseSize(input.size ?? ""),
    imageUrls: input.imageUrls,
    ...(input.seed === undefined ? {} : { seed: input.seed }),
    ...(input.promptExtend === undefined ? {} : { promptExtend: input.promptExtend }),
  };
}
