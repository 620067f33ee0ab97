/** Sizes of videos: a request names the frame in pixels, where the public API has an aspect ratio. */
import type { FastifyRequest } from "fastify";
import type { PublicVideo } from "#vocabulary/public-generation.ts";
import { takesAs } from "#vocabulary/what-model-takes.ts";
import { Problem } from "../http/problem.ts";
import type { Deps } from "../operations/deps.ts";
import { catalogFor } from "../operations/models.ts";

/** The aspect ratio of the frame; undefined where the model is none that has frames, which the create then refuses. */
export async function aspectRatioOf(
  deps: Deps,
  request: FastifyRequest,
  modelId: string,
  size: string,
): Promise<string | undefined> {
  const models = await catalogFor(deps, request);
  const model = models.find(({ id }) => id === modelId);
  if (!model || model.frames.length === 0) return undefined;
  const ratio = model.aspectRatios[model.frames.indexOf(size)];
  if (ratio !== undefined) return ratio;
  throw new Problem("unsupported_size", {
    message: takesAs(modelId, "size", model.frames.join(", ")),
    param: "size",
  });
}

/** The size of each video: that of its file, else of the frame that was asked for. */
export async function sizesOf(
  deps: Deps,
  request: FastifyRequest,
  videos: readonly PublicVideo[],
): Promise<(video: PublicVideo) => string> {
  const areAllStored = videos.every(({ output }) => output.length > 0);
  const models = areAllStored ? [] : await catalogFor(deps, request);
  const byId = new Map(models.map((model) => [model.id, model]));
  return ({ model: id, input, output: [file] }) => {
    if (file) return `${file.width}x${file.height}`;
    const model = byId.get(id);
    return model?.frames[model.aspectRatios.indexOf(input.aspect_ratio)] ?? "";
  };
}
