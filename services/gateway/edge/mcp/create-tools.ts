/** The tools that make videos and images. */
import type { Deps } from "../operations/deps.ts";
import { ended, resultOfGeneration, type PublicGeneration } from "./generations.ts";
import { createInput, MAX_WAIT_SECONDS, WAIT_SECONDS } from "./input-schemas.ts";
import { tool, type Tool, type ToolContext } from "./tool.ts";

export const PRICES =
  "It costs Tokens: know the price from list_models, and tell the user, unless they have agreed to it already.";

const SPENDS = { destructiveHint: false, idempotentHint: true, openWorldHint: true };

type CreateInput = { idempotency_key: string };

export function createTools(deps: Deps): Tool[] {
  const { contract } = deps;
  return [
    tool<CreateInput & { wait_seconds?: number }>({
      name: "generate_video",
      title: "Generate a video",
      description: `Starts a video and answers at once with its id and status, or, with wait_seconds, when it has ended or the time is over. A video takes minutes: get_generation waits for its end and has the link. ${PRICES}`,
      annotations: SPENDS,
      input: createInput(contract, "createVideoGeneration", { wait_seconds: WAIT_SECONDS }),
      run: ({ wait_seconds: seconds = 0, ...input }, context) =>
        generate(deps, context, "videos", input, seconds),
    }),
    tool<CreateInput>({
      name: "generate_image",
      title: "Generate images",
      description: `Makes an image and answers with its link, mostly within a minute; if it takes longer, with its id for get_generation. ${PRICES}`,
      annotations: SPENDS,
      input: createInput(contract, "createImageGeneration"),
      run: (input, context) => generate(deps, context, "images", input, MAX_WAIT_SECONDS),
    }),
  ];
}

/** A generation that is created and goes on, whoever waits; it is answered when it has ended, or as it is after `seconds`. */
async function generate(
  deps: Deps,
  context: ToolContext,
  kind: "videos" | "images",
  { idempotency_key: idempotencyKey, ...body }: CreateInput,
  seconds: number,
) {
  const path = `${deps.contract.prefix}/${kind}/generations`;
  const created = await context.call<PublicGeneration>({
    method: "POST",
    path,
    idempotencyKey,
    prefer: "respond-async",
    body,
  });
  const generation = await ended(deps, context, created.body, seconds);
  return resultOfGeneration(generation, context, created.replayed);
}
