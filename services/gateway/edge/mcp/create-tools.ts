/** The tools that make videos and images. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { within } from "#runtime/clock.ts";
import { derivedId } from "#runtime/id.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { Problem } from "../http/problem.ts";
import { callerOf } from "../http/request-state.ts";
import type { Deps } from "../operations/deps.ts";
import { getGeneration } from "../operations/retrieve-generation.ts";
import type { ApiCall } from "./call-api.ts";
import { answerOf, ended, PROGRESS_MS } from "./generations.ts";
import { createInput, WAIT_SECONDS } from "./input-schemas.ts";
import type { PublicGeneration } from "./tasks.ts";
import { tool, type Tool, type ToolContext } from "./tool.ts";

/** Some clients give up on a tool after a minute. */
const IMAGE_WAIT_MS = 45_000;

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
      run: async ({ wait_seconds: seconds = 0, ...input }, context) => {
        const { body, replayed } = await context.call<PublicGeneration>(
          creation(`${contract.prefix}/videos/generations`, input),
        );
        return answerOf(await ended(deps, context, body, seconds), context, replayed);
      },
    }),
    tool<CreateInput>({
      name: "generate_image",
      title: "Generate images",
      description: `Makes an image and answers with its link, mostly within a minute; if it takes longer, with its id for get_generation. ${PRICES}`,
      annotations: SPENDS,
      input: createInput(contract, "createImageGeneration"),
      run: (input, context) => generateImage(deps, input, context),
    }),
  ];
}

function creation(
  path: string,
  { idempotency_key: idempotencyKey, ...body }: CreateInput,
): ApiCall {
  return { method: "POST", path, idempotencyKey, body };
}

/** The API answers when the image has ended, which may be later than clients wait. */
async function generateImage(deps: Deps, input: CreateInput, context: ToolContext) {
  const { call, request, report, signal } = context;
  const path = `${deps.contract.prefix}/images/generations`;
  const creating = call<PublicGeneration>(creation(path, input));
  // Its failure is read below, unless that is too late for this answer.
  creating.catch(() => {});
  for (let leftMs = IMAGE_WAIT_MS; leftMs > 0 && !signal.aborted; leftMs -= PROGRESS_MS) {
    await report?.(0, "The image is being made.");
    const done = await within(deps.clock, PROGRESS_MS, creating);
    if (done) return answerOf(done.body, context, done.replayed);
  }
  const { accountId, mode } = callerOf(request);
  const name = [accountId, mode, "createImageGeneration", input.idempotency_key];
  const image = await getGeneration(deps, request, Kind.IMAGE, derivedId("igen", name)).catch(
    (cause: unknown) => {
      throw notKnown(cause);
    },
  );
  return answerOf(publicGeneration(image, deps.assetBaseUrl()), context);
}

function notKnown(cause: unknown): Problem {
  const message =
    "It is not known yet whether the image is being made. Call again with the same idempotency_key and the same fields.";
  return new Problem("unavailable", { message, cause });
}
