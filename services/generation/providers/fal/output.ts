/** Finds the file in the output of a fal model; each model has its own names of outputs. */
import { at, listAt, textAt } from "../shared/json.ts";

/** The names that fal's models use for a file or a list of files. */
const NAMES = ["video", "videos", "image", "images"];

/** Returns the URL of the first file. A generation has one file; further ones are extras, e.g. the last frame. */
export function outputUrl(body: unknown): string | undefined {
  const files = NAMES.flatMap((name) => [at(body, name)].flat());
  return files.map((file) => textAt(file, "url")).find((url) => url !== undefined);
}

/** True if the model's own check withheld a picture; the model then returns a black one. */
export function isWithheld(body: unknown): boolean {
  return listAt(body, "has_nsfw_concepts").includes(true);
}
