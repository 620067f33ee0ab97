/** Where the files are in what a fal model answers: each model names its outputs as it likes. */
import { at, listAt, textAt } from "../shared/json.ts";

/** A single file or a list of them, under the names that fal's models use. */
const NAMES = ["video", "videos", "image", "images"];

/** The output's URL: a generation has one file, and further ones are another thing, e.g. its last frame. */
export function outputUrl(body: unknown): string | undefined {
  const files = NAMES.flatMap((name) => [at(body, name)].flat());
  return files.map((file) => textAt(file, "url")).find((url) => url !== undefined);
}

/** Whether a model's own check withheld a picture: it then answers with a black one. */
export function isWithheld(body: unknown): boolean {
  return listAt(body, "has_nsfw_concepts").includes(true);
}
