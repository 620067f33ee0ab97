/** The tools: what they take, do and answer. A generation is answered as by the API, with links to its files and the next step. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { components } from "#gen/openapi/media.ts";
import { isGenerationId } from "#runtime/id.ts";
import { isTerminal } from "#vocabulary/names.ts";
import {
  publicGeneration,
  type PublicImage,
  type PublicVideo,
} from "#vocabulary/public-generation.ts";
import type { Deps } from "../operations/deps.ts";
import {
  createInput,
  LEFT_OUT,
  MAX_WAIT_SECONDS,
  WAIT_SECONDS,
  operationOf,
  tool,
  type Tool,
  type ToolContext,
  objectOf,
  resultOf,
  type Schema,
} from "./tool.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";
import { isDataUrl } from "../validation/checker.ts";
import { generationPath, getGeneration } from "../operations/generations.ts";
import { waitForEnd } from "../waiting/prefer-wait.ts";

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
      creates: "video",
      input: createInput(contract, "createVideoGeneration", { wait_seconds: WAIT_SECONDS }),
      run: ({ wait_seconds: seconds = 0, ...input }, context) =>
        generate(deps, context, "videos", input, seconds),
    }),
    tool<CreateInput>({
      name: "generate_image",
      title: "Generate images",
      description: `Makes an image and answers with its link, usually within a minute; if it takes longer, with its id for get_generation. ${PRICES}`,
      annotations: SPENDS,
      creates: "image",
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

type Schemas = components["schemas"];

const READS = { readOnlyHint: true, openWorldHint: false };
const ID: Schema = {
  type: "string",
  description: "The id of a generation: vgen_… of a video, igen_… of an image.",
};

export function readTools(deps: Deps): Tool[] {
  const { contract } = deps;
  const { prefix, document } = contract;
  const { description: howPriced } = document.components.schemas["Pricing"] as Schema;
  return [
    tool<{ kind?: Schemas["Model"]["kind"] }>({
      name: "list_models",
      title: "List models and prices",
      description:
        "The models that can be used now: what each takes, its sizes, durations and parameters, and its price in Tokens. Call it before you generate. Costs nothing.",
      annotations: READS,
      input: objectOf({
        kind: {
          type: "string",
          enum: ["video", "image"],
          description: "Only models of this kind.",
        },
      }),
      run: async ({ kind }, { call, request }) => {
        const { body } = await call<Schemas["ModelList"]>({
          method: "GET",
          path: `${prefix}/models`,
        });
        const models = body.data.flatMap((model) => usable(model, kind));
        return resultOf({ mode: callerOf(request).mode, how_priced: howPriced, models });
      },
    }),
    tool<{ id: string; wait_seconds?: number }>({
      name: "get_generation",
      title: "Get a video or image",
      description:
        "The status of a video or image, and the links to its files once it has ended. With wait_seconds it waits for the end. Costs nothing.",
      annotations: READS,
      input: objectOf({ id: ID, wait_seconds: WAIT_SECONDS }, ["id"]),
      run: async ({ id, wait_seconds: seconds = 0 }, context) => {
        const path = pathOf(deps, id);
        const { body } = await context.call<PublicGeneration>({ method: "GET", path });
        return resultOfGeneration(await ended(deps, context, body, seconds), context);
      },
    }),
    tool<{ id: string }>({
      name: "cancel_generation",
      title: "Cancel a video or image",
      description:
        "Cancels a video or image that has not ended, and restores its Tokens where it can still be stopped. Only if the user wants that.",
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: objectOf({ id: ID }, ["id"]),
      run: async ({ id }, context) => {
        const path = `${pathOf(deps, id)}/cancel`;
        const { body } = await context.call<PublicGeneration>({ method: "POST", path });
        return resultOfGeneration(body, context);
      },
    }),
    tool<object>({
      name: "get_balance",
      title: "Get the balance",
      description: "The Tokens that can be spent, those that are reserved, and limits of Tokens.",
      annotations: READS,
      input: objectOf({}),
      run: async (_input, { call }) =>
        resultOf(
          (await call<Schemas["Balance"]>({ method: "GET", path: `${prefix}/balance` })).body,
        ),
    }),
    uploadTool(deps),
  ];
}

function usable(model: Schemas["Model"], kind: Schemas["Model"]["kind"] | undefined): object[] {
  if (model.availability !== "available" || (kind !== undefined && model.kind !== kind)) return [];
  const { object: _, availability: _available, fields, ...rest } = model;
  return [{ ...rest, fields: fields?.filter((name) => !LEFT_OUT.has(name)) }];
}

const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}$/;

function uploadTool({ contract, publicUrl }: Deps): Tool {
  const { prefix, document } = contract;
  const { form } = operationOf(document, "createFile");
  const types = form?.types.filter((type) => type.startsWith("image/")).join(", ");
  return tool<{ data: string }>({
    name: "upload_image",
    title: "Upload a picture",
    description: `Stores a small picture of the user for a day, and gives its url for image_url or image_urls. A picture with a public https URL needs no upload. If you can run commands, send a file without reading it: curl -H "Authorization: Bearer $MEDIA_API_KEY" -F file=@picture.png ${publicUrl()}${prefix}/files`,
    annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
    input: objectOf(
      {
        data: {
          type: "string",
          description: `The file in base64: ${types}; at most 3 MB.`,
        },
      },
      ["data"],
    ),
    run: async ({ data }, { call }) => {
      const text = (isDataUrl(data) ? data.slice(data.indexOf(",") + 1) : data).trim();
      if (!BASE64.test(text)) {
        const message = "data has to be the bytes of a picture in base64.";
        throw new Problem("invalid_value", { message, param: "data" });
      }
      const body = new Uint8Array(Buffer.from(text, "base64"));
      const path = `${prefix}/files`;
      return resultOf((await call<Schemas["StoredFile"]>({ method: "POST", path, body })).body);
    },
  });
}

type PublicGeneration = PublicVideo | PublicImage;

/** Often enough for a client that gives up on a request which shows no progress. */
const PROGRESS_MS = 5_000;

function pathOf(deps: Deps, id: string): string {
  if (!isGenerationId(id)) {
    const message =
      "This is no id of a generation: one looks like vgen_2zjrwfavgwd8tj2ht7shw0cw42. Use one that a tool has answered.";
    throw new Problem("generation_not_found", { message });
  }
  return generationPath(deps, id);
}

/** The generation when it has ended, or as it is after `seconds`. */
async function ended(
  deps: Deps,
  { request, signal, report }: ToolContext,
  generation: PublicGeneration,
  seconds: number,
): Promise<PublicGeneration> {
  if (seconds === 0 || isTerminal(generation.status)) return generation;
  const { id: generationId } = generation;
  const first = () => getGeneration(deps, request, generationId);
  const wait = { generationId, first, seconds, signal, ...(report && { everyMs: PROGRESS_MS }) };
  const last = await waitForEnd(deps, request, wait, async ({ progress }) =>
    report?.(progress, `${generationId} is being made.`),
  );
  return publicGeneration(last, deps.assetBaseUrl());
}

/** The first version of the protocol that has links to files in results. Its clients name theirs, earlier ones may not. */
const LINKS_SINCE = "2025-06-18";

function resultOfGeneration(
  generation: PublicGeneration,
  { request }: Pick<ToolContext, "request">,
  replayed = false,
): CallToolResult {
  const { id, output } = generation;
  const { structuredContent, content } = resultOf({
    ...generation,
    ...(replayed ? { replayed } : {}),
    next: nextStep(generation),
  });
  const version = String(request.headers["mcp-protocol-version"] ?? "");
  if (version < LINKS_SINCE) return { structuredContent, content };
  const links = output.map(({ url, content_type: mimeType }, index) => ({
    type: "resource_link" as const,
    uri: url,
    name: index === 0 ? id : `${id}-${index + 1}`,
    mimeType,
  }));
  return { structuredContent, content: [...content, ...links] };
}

function nextStep({ status }: PublicGeneration): string {
  switch (status) {
    case "success":
      return "Give the user the url of each output.";
    case "failed":
      return "Its Tokens are restored. The error says what to change; a new try needs a new idempotency_key.";
    case "canceled":
      return "Its Tokens are restored.";
    default:
      return `It is being made. Call get_generation with this id and wait_seconds ${MAX_WAIT_SECONDS}, until it has ended. Do not create it again.`;
  }
}
