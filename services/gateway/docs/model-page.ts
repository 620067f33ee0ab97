/** The page of one model as Markdown: what it takes, what requests cost, samples and an answer. The catalog and the document say all of it. */
import type { components } from "#gen/openapi/media.ts";
import { quoteTokens } from "../../../clients/typescript/quote.ts";
import { samplesOf } from "./code-samples.ts";
import { differences } from "./model-differences.ts";
import { fenced, sampleBlocks } from "./operation-markdown.ts";
import { operationPath, type Operation } from "./operations.ts";
import type { PackageUrls } from "./packages.ts";
import type { Field } from "./schema.ts";
import { tokensText, type TokenPrice } from "./tokens-text.ts";

type Model = components["schemas"]["Model"];
type Body = Record<string, unknown>;

/** The operations that a model of the kind is used with. */
export type ModelOperations = { create: Operation; retrieve: Operation };

type ModelSettings = {
  baseUrl: string;
  tokenPrice: TokenPrice | undefined;
  packages: PackageUrls;
};

/** `baseUrl` is that of the API. With `tokenPrice` prices are in money too. */
export function modelMarkdown(
  model: Model,
  models: readonly Model[],
  { create, retrieve }: ModelOperations,
  { baseUrl, tokenPrice, packages }: ModelSettings,
): string {
  const fields = (create.body?.fields ?? []).filter(({ name }) => model.fields?.includes(name));
  const body = exampleBody(model, fields);
  const url = `${baseUrl}${create.route?.path}`;
  const request = { method: "POST", url, hasIdempotencyKey: true, body };
  const samples = samplesOf({ operationId: create.id, baseUrl, pathValues: [], request });
  const reference = `[${create.summary}](/docs/${operationPath(create)})`;
  const blocks = [
    `# ${model.id}`,
    `${summary(model)} Every request names it: \`"model": "${model.id}"\`. [Try it in the playground](/dashboard?model=${model.id}).`,
    `**Among the models for ${model.kind}s:** ${differences(model, models)} [All models](/docs/models).`,
    ...(model.availability === "available"
      ? []
      : [
          `**It is not available now** (\`${model.unavailable_reason}\`): a create with it is refused, and costs nothing.`,
        ]),
    "## Fields and limits",
    table(
      ["Field", "Accepts", "When absent", "Meaning"],
      fields.map((field) => row(model, field)),
    ),
    `Each field in full is in ${reference}. Requests a minute and other limits: [Rate limits](/docs/guides/limits).`,
    "## Prices",
    "List prices in Tokens, of typical requests. `GET /models` answers your own prices. What fails or is canceled [costs nothing](/docs/guides/spending#refunds).",
    table(["Request", "Tokens"], prices(model, tokenPrice)),
    sampleBlocks(samples, packages),
    "They have the same `Idempotency-Key` each time, so that a sample that is run twice is charged once. Use [a key of your own](/docs/guides/idempotency) for each order.",
    "## Example response",
    answerIntroduction(model, reference, `[${retrieve.summary}](/docs/${operationPath(retrieve)})`),
    fenced("json", JSON.stringify(exampleAnswer(model, body, retrieve), undefined, 2)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** What it makes, and of what. */
function summary(model: Model): string {
  const { kind, inputs, required_inputs: required, durations, resolution, parameters } = model;
  const images =
    model.max_reference_images > 1 ? `up to ${model.max_reference_images} images` : "an image";
  const of = (words: readonly string[]) =>
    words.map((word) => (word === "image" ? images : word)).join(" and ");
  const length = durations ? ` of ${durations.min} to ${durations.max} seconds` : "";
  const sources = inputs.length > required.length ? `, or from ${of(inputs)}` : "";
  const frame = resolution ? `, in ${resolution}` : "";
  const sound = parameters["audio"] ? ", with or without sound (`audio`)" : "";
  return `Makes ${kind}s${length} from ${of(required)}${sources}${frame}${sound}.`;
}

function answerIntroduction({ kind }: Model, create: string, retrieve: string): string {
  if (kind === "image") return `What ${create} answers, and ${retrieve} afterwards:`;
  return `${create} answers at once: \`pending\`, with no \`output\` yet. In the end, or with \`Prefer: wait=60\` if it is made by then, ${retrieve} answers:`;
}

function isRequired(model: Model, { name, isRequired: always }: Field): boolean {
  const asImage = model.kind === "video" ? "image_url" : "image_urls";
  const inputs: Record<string, string> = { [asImage]: "image", video_url: "video" };
  return always || model.required_inputs.some((input) => inputs[name] === input);
}

function row(model: Model, field: Field): string[] {
  const [meaning = ""] = field.description
    .trim()
    .replaceAll(/\s+/g, " ")
    .split(/(?<=\.) (?=[A-Z])/);
  return [`\`${field.name}\``, accepts(model, field), absent(model, field), meaning];
}

function accepts(model: Model, { name, type, rules }: Field): string {
  const { durations, aspect_ratios: ratios = [], sizes, max_reference_images: images } = model;
  const { values, max } = model.parameters[name] ?? {};
  if (name === "duration" && durations) {
    const range = `${durations.min} to ${durations.max} seconds`;
    return durations.step === 1 ? range : `${range} in steps of ${durations.step}`;
  }
  if (name === "model") return list([model.id]);
  if (name === "aspect_ratio") return list(ratios);
  if (name === "size") return list(sizes);
  if (name === "image_urls") return `up to ${images} URLs`;
  if (values) return `${max === undefined ? "" : `up to ${max}: `}${list(values)}`;
  if (max !== undefined) return `1 to ${max}`;
  return [type, ...rules].join("; ");
}

function absent(model: Model, field: Field): string {
  if (isRequired(model, field)) return "required";
  const value = defaultsOf(model)[field.name];
  return value === undefined ? (field.whenAbsent ?? "none") : `\`${value}\``;
}

function defaultsOf(model: Model): Record<string, string | number | undefined> {
  return {
    duration: model.durations?.default,
    aspect_ratio: model.default_aspect_ratio,
    size: model.default_size,
    resolution: model.resolution,
  };
}

function list(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(" ");
}

/** The shortest, usual and longest video, each size group of images, and each thing that costs more. */
function prices(model: Model, tokenPrice: TokenPrice | undefined): string[][] {
  const { durations, pricing, parameters, max_reference_images: images } = model;
  if (!pricing) return [["every request", "no price yet"]];
  const bases: Body[] = durations
    ? [...new Set([durations.min, durations.default, durations.max])].map((duration) => ({
        duration,
      }))
    : (pricing.tiers ?? [{ sizes: model.sizes }]).map(({ sizes: [size] }) => ({ size }));
  const usual = bases.find(({ duration }) => duration === durations?.default) ?? bases[0];
  const dearer: Body[] = (pricing.surcharges ?? []).map(({ parameter, value }) => ({
    ...usual,
    [parameter]: value ?? true,
  }));
  if (parameters["n"]?.max) dearer.push({ ...usual, n: parameters["n"].max });
  if (pricing.tokens_per_reference_image && model.kind === "image") {
    dearer.push({ ...usual, image_urls: Array.from({ length: images }, () => "…") });
  }
  return [...bases, ...dearer].map((body) => [
    shown(body),
    tokensText(quoteTokens(model, body as never) ?? 0n, tokenPrice),
  ]);
}

function shown(body: Body): string {
  return Object.entries(body)
    .map(([name, value]) =>
      Array.isArray(value) ? `${value.length} \`${name}\`` : `\`${name}: ${String(value)}\``,
    )
    .join(", ");
}

/** What it needs, with the document's own examples. */
function exampleBody(model: Model, fields: readonly Field[]): Body {
  const needed = fields.filter((field) => isRequired(model, field));
  return {
    ...Object.fromEntries(needed.map(({ name, example }) => [name, example])),
    model: model.id,
    ...(model.durations ? { duration: model.durations.default } : {}),
  };
}

/** The document's example of a success, for that request: what the service answers but for ids, times, URLs and sizes of files. */
function exampleAnswer(model: Model, body: Body, { successes }: Operation): object {
  const { examples = [], fields = [] } = successes[0]?.body ?? {};
  const answer = examples.find(
    (example) => (example as { status?: string }).status === "success",
  ) as Body & { output: Body[] };
  const input = fields.find(({ name }) => name === "input")?.fields ?? [];
  const [width, height] = (model.default_size ?? "").split("x").map(Number);
  const made = model.durations ? { duration: model.durations.default } : { width, height };
  return {
    ...answer,
    model: model.id,
    mode: "test",
    credits: Number(quoteTokens(model, body as never) ?? 0n),
    output: answer.output.map((file) => ({ ...file, ...made })),
    input: withDefaults(model, body, input),
  };
}

/** What the service fills in where a request leaves it out. */
const FILLED_IN: Body = { image_urls: [], prompt_extend: true, metadata: {} };

/** The request as `input` shows it, which has the `fields`. */
function withDefaults(model: Model, body: Body, fields: readonly Field[]): Body {
  const given: Body = { ...FILLED_IN, ...defaultsOf(model), ...body };
  const shown = fields.filter(({ name, isRequired: always }) => always || name in body);
  return Object.fromEntries(shown.map(({ name }) => [name, given[name]]));
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}
