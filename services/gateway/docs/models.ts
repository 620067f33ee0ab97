/** The catalog as Markdown: all models in a table, and a part for each with what it takes and what requests cost. */
import type { components } from "#gen/openapi/media.ts";
import { inMoney } from "../../../clients/typescript/money.ts";
import { curlSample, type SampleRequest } from "../../../clients/samples/sample-languages.ts";
import { quoteTokens } from "../../../clients/typescript/quote.ts";
import type { Field } from "./reference.ts";

type Model = components["schemas"]["Model"];
type Body = Record<string, unknown>;
export type TokenPrice = components["schemas"]["TokenPrice"];

/** What the page says of all models, and the heading. */
const SAID = new Set(["model", "webhook_url", "end_user", "metadata"]);

/** Parameters that the table of all leaves out: its choices tell one, and the other tells no models apart. */
const LEFT_OUT = new Set(["resolution", "seed"]);

/** `text` begins the page; `fields` are those of the creates, by kind. With `tokenPrice` prices are in money too. */
export function modelsMarkdown(
  text: string,
  models: readonly Model[],
  fields: Readonly<Record<Model["kind"], readonly Field[]>>,
  { baseUrl, tokenPrice }: { baseUrl: string; tokenPrice: TokenPrice | undefined },
): string {
  const rows = models.map((model) => [
    `[\`${model.id}\`](/docs/models#${model.id})`,
    model.availability === "available" ? price(model, tokenPrice) : "unavailable",
    model.kind,
    [
      ...model.inputs.map((input) =>
        model.required_inputs.includes(input) ? `${input} (required)` : input,
      ),
      ...Object.keys(model.parameters).flatMap((name) => (LEFT_OUT.has(name) ? [] : `\`${name}\``)),
    ].join(", "),
    choices(model),
  ]);
  const columns = ["Model", "Price", "Makes", "Takes", "Choices"];
  const parts = models.flatMap((model) => [
    ...partOf(model, fields[model.kind], tokenPrice),
    `\`\`\`sh\n${curlSample(exampleRequest(model, fields[model.kind], baseUrl))}\n\`\`\``,
  ]);
  const page = text.replace("{{table}}", () => table(columns, rows));
  return `${page}\n${parts.join("\n\n")}\n`;
}

function partOf(model: Model, all: readonly Field[], tokenPrice: TokenPrice | undefined): string[] {
  const fields = all.filter(({ name }) => model.fields?.includes(name) && !SAID.has(name));
  return [
    `## \`${model.id}\``,
    `[Open in playground](/dashboard?model=${model.id})`,
    purpose(model),
    table(
      ["Field", "Accepts", "When absent"],
      fields.map((field) => [`\`${field.name}\``, accepts(model, field), absent(model, field)]),
    ),
    table(["Request", "Tokens"], prices(model, tokenPrice)),
  ];
}

/** What the catalog tells of what it is for, and whether it can be used now. */
function purpose({ availability, unavailable_reason: reason, ...model }: Model): string {
  if (availability !== "available")
    return `**It is not available now** (\`${reason}\`): a create with it is refused, and costs nothing.`;
  const isNeeded = model.required_inputs.includes("image");
  const picture = isNeeded ? " and a picture" : ", or from one with a picture";
  const end = "last_image_url" in model.parameters ? ", towards a last frame of yours" : "";
  const sound = "audio" in model.parameters ? ", with sound or without" : "";
  return `Makes ${model.kind}s from a prompt${model.inputs.includes("image") ? picture : ""}${end}${sound}.`;
}

function choices(model: Model): string {
  const { durations, resolution, aspect_ratios: ratios = [] } = model;
  if (!durations) return sizesText(model, (sizes) => sizes.join(", "));
  return [seconds(durations, "s"), resolution, ratios.join(" ")].filter(Boolean).join("; ");
}

/** By what the price calls them. */
function sizesText({ sizes, pricing }: Model, listed: typeof list): string {
  const tierOf = (size: string) => pricing?.tiers?.find((one) => one.sizes.includes(size))?.tier;
  return [...Map.groupBy(sizes, tierOf)]
    .map(([tier, own]) => `${tier === undefined ? "" : `${tier}: `}${listed(own)}`)
    .join("; ");
}

function seconds({ min, max, step }: NonNullable<Model["durations"]>, unit: string): string {
  const range = `${min} to ${max} ${unit}`;
  return step === 1 ? range : `${range} in steps of ${step}`;
}

function price({ pricing }: Model, tokenPrice: TokenPrice | undefined): string {
  if (!pricing) return "none";
  const { unit, unit_quantity: quantity, tiers, tokens_per_reference_image: reference } = pricing;
  const text = (amount: number) => tokensText(amount, tokenPrice);
  const each = (pricing.tokens / quantity).toLocaleString("en-US");
  const perUnit = quantity === 1 ? unit : `${quantity} ${unit}s (${each} per ${unit})`;
  const base = tiers
    ? tiers.map(({ tier, tokens }) => `${tier} ${text(tokens)}`).join(", ")
    : `${text(pricing.tokens)} per ${perUnit}`;
  return reference ? `${base}; ${text(reference)} per reference image` : base;
}

/** "1,200 (about 12.00 USD)", or "1,200" without a price. */
function tokensText(tokens: number, tokenPrice: TokenPrice | undefined): string {
  const text = tokens.toLocaleString("en-US");
  return tokenPrice ? `${text} (about ${inMoney(tokens, tokenPrice)})` : text;
}

function isRequired(model: Model, { name, isRequired: always }: Field): boolean {
  const asImage = model.kind === "video" ? "image_url" : "image_urls";
  const inputs: Record<string, string> = { [asImage]: "image", video_url: "video" };
  return always || model.required_inputs.some((input) => inputs[name] === input);
}

/** The values, and what the field means. */
function accepts(model: Model, field: Field): string {
  const [meaning = ""] = /^.*?\.(?=\s|$)/s.exec(field.description) ?? [];
  return `${valuesOf(model, field)}. ${meaning.replaceAll("\n", " ")}`.trim();
}

function valuesOf(model: Model, { name, type, rules }: Field): string {
  const { values, max } = model.parameters[name] ?? {};
  if (name === "duration" && model.durations) return seconds(model.durations, "seconds");
  if (name === "aspect_ratio") return list(model.aspect_ratios ?? []);
  if (name === "size") return sizesText(model, list);
  if (name === "image_urls") return `up to ${model.max_reference_images} URLs`;
  if (values) return `${max === undefined ? "" : `up to ${max}: `}${list(values)}`;
  if (max !== undefined) return `1 to ${max}`;
  return [type, ...rules].join("; ");
}

function absent(model: Model, field: Field): string {
  if (isRequired(model, field)) return "required";
  const defaults: Record<string, string | number | undefined> = {
    duration: model.durations?.default,
    aspect_ratio: model.default_aspect_ratio,
    size: model.default_size,
    resolution: model.resolution,
  };
  const value = defaults[field.name];
  return value === undefined ? (field.whenAbsent ?? "none") : `\`${value}\``;
}

function list(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(" ");
}

/** The shortest, usual and longest video, each size group of images, and each thing that costs more. */
function prices(model: Model, tokenPrice: TokenPrice | undefined): string[][] {
  const { durations: range, pricing, parameters, max_reference_images: images } = model;
  if (!pricing) return [["every request", "no price yet"]];
  const bases: Body[] = range
    ? [...new Set([range.min, range.default, range.max])].map((duration) => ({ duration }))
    : (pricing.tiers ?? [{ sizes: model.sizes }]).map(({ sizes: [size] }) => ({ size }));
  const usual = bases.find(({ duration }) => duration === range?.default) ?? bases[0];
  const dearer: Body[] = (pricing.surcharges ?? []).map(({ parameter, value }) => ({
    ...usual,
    [parameter]: value ?? true,
  }));
  if (parameters["n"]?.max) dearer.push({ ...usual, n: parameters["n"].max });
  if (pricing.tokens_per_reference_image && model.kind === "image")
    dearer.push({ ...usual, image_urls: Array.from({ length: images }, () => "…") });
  return [...bases, ...dearer].map((body) => [
    Object.entries(body)
      .map(([name, value]) =>
        Array.isArray(value) ? `${value.length} \`${name}\`` : `\`${name}: ${String(value)}\``,
      )
      .join(", "),
    tokensText(quoteTokens(model, body as never) ?? 0, tokenPrice),
  ]);
}

/** A create with what it needs, by the document's own examples. */
function exampleRequest(model: Model, fields: readonly Field[], baseUrl: string): SampleRequest {
  const needed = fields.filter((field) => isRequired(model, field));
  const body = {
    ...Object.fromEntries(needed.map(({ name, example }) => [name, example])),
    model: model.id,
    ...(model.durations ? { duration: model.durations.default } : {}),
  };
  const request = { method: "POST", path: `/${model.kind}s/generations`, hasIdempotencyKey: true };
  const call = `${model.kind}s.create`;
  return { ...request, baseUrl, body, waits: model.kind === "video", call, result: model.kind };
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}
