/** The tools: what they take, do and answer. Generations are as in the API, with links to files and the next step. */
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
import { typesOf, unbroken, type Schema, type Tool, type ToolContext } from "./tool.ts";
import { operationsOf, type DocumentOperation, type OpenApiDocument } from "../http/contract.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";
import { isDataUrl } from "../validation/checker.ts";
import { generationPath, getGeneration } from "../operations/generations.ts";
import { waitForEnd } from "../waiting/prefer-wait.ts";

export const PRICES =
  "It costs Tokens: know the price from list_models, and tell the user, unless they have agreed to it already.";

const SPENDS = { destructiveHint: false, idempotentHint: true, openWorldHint: true };
const READS = { readOnlyHint: true, openWorldHint: false };

/** Some clients give up on a tool after a minute. */
const MAX_WAIT_SECONDS = 45;

const KEY_DESCRIPTION =
  "A name for this one wish of the user: a few words and four random characters, without spaces, such as boat-at-dusk-7f3a. Whenever you repeat the call for the same wish, after a timeout or an error or because you are not sure that it arrived, send the same name and the same fields: it is then made and charged once. Only another wish, or changed fields, get another name.";

const WAIT_SECONDS: Schema = {
  type: "integer",
  minimum: 0,
  maximum: MAX_WAIT_SECONDS,
  description: `How many seconds to wait for the end, at most ${MAX_WAIT_SECONDS}. 0, the default, answers at once.`,
};
const KIND: Schema = { type: "string", enum: ["video", "image"] };
const ID: Schema = {
  type: "string",
  description: "The id of a generation: vgen_… of a video, igen_… of an image.",
};

type Schemas = components["schemas"];
type Kind = Schemas["Model"]["kind"];
type PublicGeneration = PublicVideo | PublicImage;
type CreateInput = { idempotency_key: string; wait_seconds?: number };

/** `document` has the schemas. */
export function toolsOf(deps: Deps, document: OpenApiDocument): Tool[] {
  const { prefix } = deps.contract;
  const { description: howPriced } = document.components.schemas["Pricing"] as Schema;
  const operations = new Map(operationsOf(document).map((each) => [each.id, each]));
  const operation = (id: string) => operations.get(id) as DocumentOperation;
  const answers = (...ids: string[]) => ids.map((id) => answerOf(operation(id)));
  const { form } = operation("createFile");
  const types = form?.types.filter((type) => type.startsWith("image/")).join(", ");
  const kinds = answers("retrieveVideoGeneration", "retrieveImageGeneration").map(withNext);
  const [video = {}, image = {}] = kinds;
  const [{ properties: list } = {}] = answers("listModels");
  const { limit, ...filters } = operation("listVideoGenerations").query.properties ?? {};
  return [
    tool<{ kind?: Kind }>({
      name: "list_models",
      title: "List models and prices",
      description:
        "The models that can be used now: what each takes, its sizes, durations and parameters, and its price in Tokens. Call it before you generate. Costs nothing.",
      annotations: READS,
      input: objectOf({ kind: { ...KIND, description: "Only models of this kind." } }),
      output: outputOf(
        required({ mode: TEXT, how_priced: TEXT, models: list?.["data"] as Schema }),
      ),
      run: async ({ kind }, { api, request }) => {
        const { body } = await api<Schemas["ModelList"]>("GET", `${prefix}/models`);
        const models = body.data.flatMap((model) => usable(model, kind));
        return resultOf({ mode: callerOf(request).mode, how_priced: unbroken(howPriced), models });
      },
    }),
    tool<{ kind?: Kind }>({
      name: "list_generations",
      title: "List videos or images",
      description:
        "The videos, or the images, that were made with keys of this mode, newest first: to find one whose id is lost, before it is made again. Costs nothing.",
      annotations: READS,
      input: objectOf({
        kind: { ...KIND, description: "The default is video." },
        ...filters,
        after: { type: "string", description: "The id of the last one of an earlier list." },
        // The default is what a model can read.
        limit: { ...(limit as Schema), default: 10, description: "How many. The default is 10." },
      }),
      output: outputOf(...answers("listVideoGenerations", "listImageGenerations")),
      run: async ({ kind = "video", ...asked }, { api }) => {
        const query = new URLSearchParams(asked).toString();
        const { body } = await api<object>("GET", `${prefix}/${kind}s/generations?${query}`);
        return resultOf(body);
      },
    }),
    tool<{ id: string; wait_seconds?: number }>({
      name: "get_generation",
      title: "Get a video or image",
      description:
        "The status of a video or image, and the links to its files once it has ended. With wait_seconds it waits for the end. Costs nothing.",
      annotations: READS,
      input: objectOf({ id: ID, wait_seconds: WAIT_SECONDS }, ["id"]),
      output: outputOf(...kinds),
      run: async ({ id, wait_seconds: seconds = 0 }, context) => {
        const { body } = await context.api<PublicGeneration>("GET", pathOf(deps, id));
        return resultOfGeneration(await ended(context, body, seconds), context);
      },
    }),
    tool<{ id: string }>({
      name: "cancel_generation",
      title: "Cancel a video or image",
      description:
        "Cancels a video or image that has not ended, and restores its Tokens where it can still be stopped. Only if the user wants that.",
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: objectOf({ id: ID }, ["id"]),
      output: outputOf(...kinds),
      run: async ({ id }, context) => {
        const { body } = await context.api<PublicGeneration>("POST", `${pathOf(deps, id)}/cancel`);
        return resultOfGeneration(body, context);
      },
    }),
    tool<object>({
      name: "get_balance",
      title: "Get the balance",
      description: "The Tokens that can be spent, those that are reserved, and limits of Tokens.",
      annotations: READS,
      input: objectOf({}),
      output: outputOf(...answers("retrieveBalance")),
      run: async (_input, { api }) =>
        resultOf((await api<Schemas["Balance"]>("GET", `${prefix}/balance`)).body),
    }),
    tool<{ data: string }>({
      name: "upload_image",
      title: "Upload a picture",
      description: `Stores a small picture of the user for a day, and gives its url for image_url or image_urls. A picture with a public https URL needs no upload. A call with more than 3 MB ends as HTTP 413: make the picture smaller before, or, if you can run commands, send a file of up to 20 MB without reading it: curl -H "Authorization: Bearer $MEDIA_API_KEY" -F file=@picture.png ${deps.publicUrl()}${prefix}/files`,
      annotations: { destructiveHint: false, idempotentHint: false, openWorldHint: false },
      input: required({
        data: { type: "string", description: `The file in base64: ${types}; at most 3 MB.` },
      }),
      output: outputOf(...answers("createFile")),
      run: async ({ data }, { api }) => {
        const headers = { "content-type": "application/octet-stream" };
        const more = { headers, body: bytesOf(data) };
        return resultOf((await api<Schemas["StoredFile"]>("POST", `${prefix}/files`, more)).body);
      },
    }),
    tool<CreateInput>({
      name: "generate_video",
      title: "Generate a video",
      description: `Starts a video and answers at once with its id and status, or, with wait_seconds, when it has ended or the time is over. A video takes minutes: get_generation waits for its end and has the link. ${PRICES}`,
      annotations: SPENDS,
      output: outputOf(video),
      input: createInput(operation("createVideoGeneration"), { wait_seconds: WAIT_SECONDS }),
      run: (input, context) => generate(context, "videos", input),
    }),
    tool<CreateInput>({
      name: "generate_image",
      title: "Generate images",
      description: `Makes an image and answers with its link, usually within a minute; if it takes longer, with its id for get_generation. ${PRICES}`,
      annotations: SPENDS,
      output: outputOf(image),
      input: createInput(operation("createImageGeneration")),
      run: (input, context) =>
        generate(context, "images", { ...input, wait_seconds: MAX_WAIT_SECONDS }),
    }),
  ];
}

/** A tool whose input, once checked, is an `In`. */
function tool<In>(
  of: Omit<Tool, "run"> & { run: (input: In, context: ToolContext) => Promise<CallToolResult> },
): Tool {
  return of as Tool;
}

function objectOf(properties: Record<string, Schema>, required: string[] = []): Schema {
  return { type: "object", properties, required, additionalProperties: false };
}

function required(properties: Record<string, Schema>): Schema {
  return objectOf(properties, Object.keys(properties));
}

const TEXT: Schema = { type: "string" };
const REFUSAL = required({ error: required({ code: TEXT, message: TEXT }) });

/** One of the answers, or a refusal: clients compare those with the schema too. */
function outputOf(...answers: Schema[]): Schema {
  return { type: "object", anyOf: [...answers, REFUSAL].map(typesOf) };
}

/** The answer of a tool about one generation. */
function withNext({ properties, required: all, ...rest }: Schema): Schema {
  const more = { next: TEXT, replayed: { type: "boolean" } };
  return { ...rest, properties: { ...properties, ...more }, required: [all, "next"].flat() };
}

/** A matter of the program around a model. */
const LEFT_OUT: ReadonlySet<string> = new Set(["webhook_url", "metadata"]);

/** The input of an operation of the document that creates a generation. */
function createInput({ body, headers }: DocumentOperation, more?: Record<string, Schema>): Schema {
  const { properties = {}, required } = body as Schema;
  const fields = Object.entries(properties as Record<string, Schema>);
  const own = Object.fromEntries(fields.filter(([name]) => !LEFT_OUT.has(name)));
  const key = headers.properties?.["Idempotency-Key"] as Schema;
  const named = { idempotency_key: { ...key, description: KEY_DESCRIPTION } };
  return objectOf({ ...own, ...more, ...named }, [...(required as string[]), "idempotency_key"]);
}

/** The schema of what an operation answers when it succeeds. */
function answerOf({ responses, status }: DocumentOperation): Schema {
  return responses[status]?.content?.["application/json"]?.schema as Schema;
}

/** A generation that is created and goes on, whoever waits; answered when it has ended, or as it is after `seconds`. */
async function generate(
  context: ToolContext,
  kind: "videos" | "images",
  { idempotency_key: key, wait_seconds: seconds = 0, ...body }: CreateInput,
) {
  const path = `${context.deps.contract.prefix}/${kind}/generations`;
  const headers = { "idempotency-key": key, prefer: "respond-async" };
  const created = await context.api<PublicGeneration>("POST", path, { headers, body });
  const generation = await ended(context, created.body, seconds);
  return resultOfGeneration(generation, context, created.replayed);
}

function usable(model: Schemas["Model"], kind: Kind | undefined): object[] {
  if (model.availability !== "available" || (kind !== undefined && model.kind !== kind)) return [];
  const { fields, ...rest } = model;
  return [{ ...rest, fields: fields?.filter((name) => !LEFT_OUT.has(name)) }];
}

const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}$/;

function bytesOf(data: string): Buffer {
  const text = (isDataUrl(data) ? data.slice(data.indexOf(",") + 1) : data).trim();
  if (BASE64.test(text)) return Buffer.from(text, "base64");
  const message = "data has to be the bytes of a picture in base64.";
  throw new Problem("invalid_value", { message, param: "data" });
}

function pathOf(deps: Deps, id: string): string {
  if (isGenerationId(id)) return generationPath(deps, id);
  const message =
    "This is not the id of a generation, such as vgen_2zjrwfavgwd8tj2ht7shw0cw42, or igen_… for images. Use an id that a tool has returned.";
  throw new Problem("generation_not_found", { message });
}

/** Often enough for a client that gives up on a request which shows no progress. */
const PROGRESS_MS = 5_000;

/** The generation when it has ended, or as it is after `seconds`. */
async function ended(context: ToolContext, generation: PublicGeneration, seconds: number) {
  if (seconds === 0 || isTerminal(generation.status)) return generation;
  const { report } = context;
  const { id: generationId } = generation;
  const first = () => getGeneration(context, generationId);
  const wait = { generationId, first, seconds, ...(report && { everyMs: PROGRESS_MS }) };
  const last = await waitForEnd(context, wait, async ({ progress }) =>
    report?.(progress, `${generationId} is being made.`),
  );
  return publicGeneration(last, context.deps.assetBaseUrl());
}

/** The same for programs and as text. */
function resultOf(content: object) {
  const text = { type: "text" as const, text: JSON.stringify(content) };
  return { structuredContent: { ...content }, content: [text] };
}

/** The first version of the protocol with links to files in results. Its clients name theirs; earlier ones may not. */
const LINKS_SINCE = "2025-06-18";

function resultOfGeneration(
  generation: PublicGeneration,
  { request }: ToolContext,
  replayed = false,
): CallToolResult {
  const { id, output } = generation;
  const next = nextStep(generation);
  const result = resultOf({ ...generation, ...(replayed ? { replayed } : {}), next });
  const version = String(request.headers["mcp-protocol-version"] ?? "");
  if (version < LINKS_SINCE) return result;
  const links = output.map(({ url, content_type: mimeType }, index) => ({
    type: "resource_link" as const,
    uri: url,
    name: index === 0 ? id : `${id}-${index + 1}`,
    mimeType,
  }));
  return { ...result, content: [...result.content, ...links] };
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
