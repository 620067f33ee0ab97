/** Adds the negative prompt to the prompt, for upstreams without a field for it. */
import type { Job } from "../provider.ts";

export function promptOf({ prompt, negativePrompt }: Job): string {
  return negativePrompt === undefined ? prompt : `${prompt}\n\nAvoid: ${negativePrompt}`;
}
