/** The prompt for upstreams that have no field for what the picture shall not show. */
import type { Job } from "../provider.ts";

export function promptOf({ prompt, negativePrompt }: Job): string {
  return negativePrompt === undefined ? prompt : `${prompt}\n\nAvoid: ${negativePrompt}`;
}
