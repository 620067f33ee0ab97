/** Puts the negative prompt into the field that the upstream has for it, or else into the prompt. */
import type { Job } from "../provider.ts";

type Prompts = Pick<Job, "prompt" | "negativePrompt">;

/** Adds the negative prompt to the prompt, for upstreams without a field for it. */
export function promptOf({ prompt, negativePrompt }: Prompts): string {
  return negativePrompt === undefined ? prompt : `${prompt}\n\nAvoid: ${negativePrompt}`;
}

/**
 * For upstreams that cut what is too long: a negative prompt that does not fit its field goes into the prompt. Undefined
 * if it does not fit there either. Counts UTF-16 code units, which are never fewer than characters.
 */
export function fitPrompts(
  { prompt, negativePrompt }: Prompts,
  max: { prompt: number; negativePrompt: number },
): Prompts | undefined {
  if (negativePrompt === undefined) return { prompt };
  if (negativePrompt.length <= max.negativePrompt) return { prompt, negativePrompt };
  const whole = promptOf({ prompt, negativePrompt });
  return whole.length <= max.prompt ? { prompt: whole } : undefined;
}
