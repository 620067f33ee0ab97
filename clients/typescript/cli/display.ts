/** What is shown for people: the progress, one object by a headline and its facts, models in a line each, and colours. */
import type { Delivery, Image, Model, StoredFile, Video } from "../index.ts";
import { isFinal } from "../http/wait.ts";
import { optionOf } from "./errors.ts";

export type Output = { write: (text: string) => unknown; isTTY?: boolean };

export type Screen = {
  line: (text: string) => void;
  /** Percent. */
  progress: (status: string, percent: number) => void;
};

const BAR_WIDTH = 30;
const CLEAR_LINE = "\r\u001B[K";
const LINE_STEP_PERCENT = 10;

/** A bar on a terminal, plain lines elsewhere. */
export function screenOn(output: Output, nowMs: () => number): Screen {
  const startedMs = nowMs();
  let last = { status: "", percent: -LINE_STEP_PERCENT };
  const showBar = (status: string, percent: number) => {
    const filled = Math.round((percent / 100) * BAR_WIDTH);
    const bar = "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
    const seconds = Math.round((nowMs() - startedMs) / 1_000);
    output.write(`${CLEAR_LINE}${bar} ${String(percent).padStart(3)} %  ${status}, ${seconds} s`);
  };
  const showLine = (status: string, percent: number) => {
    if (status === last.status && percent < last.percent + LINE_STEP_PERCENT) return;
    last = { status, percent };
    output.write(`${status} ${percent} %\n`);
  };
  return output.isTTY
    ? { line: (text) => output.write(`${CLEAR_LINE}${text}\n`), progress: showBar }
    : { line: (text) => output.write(`${text}\n`), progress: showLine };
}

/** Of a status, by the numbers of terminals. */
const COLOURS: Readonly<Record<string, number>> = {
  success: 32,
  delivered: 32,
  failed: 31,
  exhausted: 31,
  canceled: 90,
  processing: 33,
  pending: 33,
  failing: 33,
};

export function inColourOf(status: string, text: string): string {
  const colour = COLOURS[status];
  return colour === undefined ? text : `\u001B[${colour}m${text}\u001B[0m`;
}

/** The line with the first word that is a status in its colour: prompts come after it. */
export function withColours(line: string): string {
  return line.replace(/(?<= {2})[a-z]+(?= {2}|$)/m, (word) => inColourOf(word, word));
}

export type Row = readonly (string | undefined)[];

/** Columns are as wide as their longest cell; one that has none is left out. */
export function tableLines(rows: readonly Row[], header: Row = []): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => {
    const longest = Math.max(0, ...rows.map((row) => row[i]?.length ?? 0));
    return longest === 0 ? 0 : Math.max(longest, header[i]?.length ?? 0);
  });
  const lineOf = (row: Row) =>
    widths.flatMap((width, i) => (width === 0 ? [] : [(row[i] ?? "").padEnd(width)])).join("  ");
  return [...(header.length > 0 ? [header] : []), ...rows].map((row) => lineOf(row).trimEnd());
}

/** 99500 as "99,500 Tokens". */
export function tokensText(tokens: bigint | number): string {
  return `${tokens.toLocaleString("en-US")} ${BigInt(tokens) === 1n ? "Token" : "Tokens"}`;
}

/** A name and its value; without one it is left out. */
type Fact = [name: string, value: string | number | undefined];

export function generationText(generation: Image | Video): string {
  const { id, status, progress, model, mode, credits, input, output, error } = generation;
  const files = output.map((file): Fact => ["file", `${file.url}  ${formatText(file)}`]);
  return withFacts(`${id}  ${status}`, [
    ["model", `${model}, ${mode} mode`],
    ["prompt", input.prompt.replaceAll(/[^\P{C}\n]/gu, " ")],
    ["progress", status === "processing" ? `${progress} %` : undefined],
    [isFinal(status) ? "charged" : "price", tokensText(credits)],
    ["created", timeText(generation.created_at)],
    ["completed", generation.completed_at && timeText(generation.completed_at)],
    ...files,
    ["error", error && `${error.code}: ${error.message}`],
  ]);
}

export function fileText(file: StoredFile): string {
  return withFacts(file.id, [
    ["url", file.url],
    ["format", formatText(file)],
    ["created", timeText(file.created_at)],
    ["expires", file.expires_at && timeText(file.expires_at)],
  ]);
}

export function deliveryText(delivery: Delivery): string {
  const { id, type, url, attempts } = delivery;
  return withFacts(`${id}  ${standOf(delivery)[0]}`, [
    ["event", `${type}  ${delivery.event_id}`],
    ["generation", delivery.generation_id],
    ["url", url],
    ...attempts.map((attempt): Fact => [
      "attempt",
      `${timeText(attempt.at, "medium")}  ${answerText(attempt)}`,
    ]),
    ["next", delivery.next_attempt_at && timeText(delivery.next_attempt_at, "medium")],
  ]);
}

/** The fields that have a line, or an argument, of their own. */
const SHOWN = /^(model|prompt|image_urls?|duration|aspect_ratio|size)$/;

/** A model with what a create may have of it, by the names of the options. */
export function modelText(model: Model): string {
  const { id, kind, inputs, required_inputs: required, durations, parameters, fields } = model;
  const images = inputs.includes("image") && `at most ${model.max_reference_images}`;
  const needed = required.includes("image") ? ", needed" : "";
  const own = Object.entries(parameters).map(([field, limits]): Fact => [
    optionOf(field),
    limitsText(limits),
  ]);
  const others = (fields ?? []).filter((field) => !(field in parameters || SHOWN.test(field)));
  return withFacts(`${id}  ${kind}`, [
    ["price", [priceText(model), ...surchargesOf(model)].join("; ")],
    ["--duration", durations && durationsText(durations)],
    ["--aspect-ratio", choicesText(model.aspect_ratios, model.default_aspect_ratio)],
    ["--size", choicesText(model.sizes, model.default_size)],
    ["--image", images ? `${images}${needed}` : undefined],
    ...own,
    ["also", others.map(optionOf).join(", ") || undefined],
  ]);
}

/** For each model its id, kind and price, in columns. */
export function modelLines(models: readonly Model[]): string[] {
  return tableLines(models.map((model) => [model.id, model.kind, priceText(model)]));
}

function priceText({ availability, pricing }: Model): string {
  if (availability !== "available") return "unavailable";
  if (!pricing) return "no price";
  const { tokens, unit, unit_quantity: quantity } = pricing;
  return `${tokensText(tokens)} per ${quantity === 1 ? unit : `${quantity} ${unit}s`}`;
}

function durationsText({ min, max, step, default: normal }: NonNullable<Model["durations"]>) {
  return `${min} to ${max} seconds, in steps of ${step}; default ${normal}`;
}

function surchargesOf({ pricing }: Model): string[] {
  const { tiers = [], surcharges = [], tokens_per_reference_image: perImage } = pricing ?? {};
  return [
    ...tiers.map(({ tier, tokens }) => `${tier} ${tokensText(tokens)}`),
    ...(perImage ? [`each --image ${tokensText(perImage)} more`] : []),
    ...surcharges.map(({ parameter, value, tokens }) => {
      const asked = value === undefined ? "" : ` ${value}`;
      return `${optionOf(parameter)}${asked} ${tokensText(tokens)} more`;
    }),
  ];
}

function limitsText({ values, max }: Model["parameters"][string]): string {
  return [values?.join(", "), max && `at most ${max}`].filter(Boolean).join("; ") || "optional";
}

/** A time in the zone of who reads it, such as `2026-11-28 09:30`; `medium` has the seconds. */
export function timeText(time: string, timeStyle: "short" | "medium" = "short"): string {
  // Sweden writes times as ISO 8601 does.
  return new Date(time).toLocaleString("sv-SE", { dateStyle: "short", timeStyle });
}

/** How a delivery stands, as the dashboard says it, its number of attempts, and what the last one was answered. */
export function standOf({ status, attempts }: Delivery): string[] {
  const last = attempts.at(-1);
  if (!last) return [status, "0", ""];
  const isAccepted = attempts.some(({ status_code: code = 0 }) => code >= 200 && code < 300);
  const stand = status === "pending" && !isAccepted ? "failing" : status;
  return [stand, `${attempts.length}`, answerText(last)];
}

function answerText({ status_code: status, error }: Delivery["attempts"][number]): string {
  return status === undefined ? `no answer: ${error}` : `${status}`;
}

/** The media type and size in pixels of a file. */
export function formatText(file: { content_type: string; width: number; height: number }): string {
  return `${file.content_type}, ${file.width} × ${file.height}`;
}

function choicesText(choices: readonly string[] | undefined, normal: string | undefined) {
  if (!choices || choices.length === 0) return undefined;
  return `${choices.join(", ")}${normal === undefined ? "" : `; default ${normal}`}`;
}

function withFacts(headline: string, facts: readonly Fact[]): string {
  const given = facts.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...given.map(([name]) => name.length));
  const lines = given.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
  return [headline, ...lines].join("\n");
}
