/** The price shown before a create, for input that the model takes. */
import { quoteTokens, type Model } from "../index.ts";
import type { Request } from "./create-request.ts";

/** The price in Tokens, from the catalog; undefined where the model has no price or does not take the input. */
export function quoteFor(model: Model, request: Request): bigint | undefined {
  const isTaken =
    model.availability === "available" && takes(model, request) && takesValues(model, request.body);
  return isTaken ? quoteTokens(model, request.body) : undefined;
}

function takes(model: Model, request: Request): boolean {
  if (request.kind === "image") {
    const { n, image_urls: images } = request.body;
    return takesCount(model, n ?? 1) && takesImages(model, images?.length ?? 0);
  }
  const { body } = request;
  const ratio = body.aspect_ratio ?? model.default_aspect_ratio;
  return (
    (typeof ratio !== "string" || (model.aspect_ratios ?? []).includes(ratio)) &&
    takesImages(model, body.image_url ? 1 : 0)
  );
}

/** Whether the optional fields have values that the model names, such as its resolutions. */
function takesValues({ parameters = {} }: Partial<Model>, body: object): boolean {
  const given = new Map<string, unknown>(Object.entries(body));
  return Object.entries(parameters).every(([name, { values }]) => {
    const value = given.get(name);
    return typeof value !== "string" || (values?.includes(value) ?? true);
  });
}

function takesCount({ parameters }: Model, count: number): boolean {
  return count >= 1 && count <= (parameters?.["n"]?.max ?? count);
}

function takesImages(
  { inputs, required_inputs: required, max_reference_images: max }: Model,
  count: number,
) {
  if (count === 0) return !required.includes("image");
  return inputs.includes("image") && count <= max;
}
