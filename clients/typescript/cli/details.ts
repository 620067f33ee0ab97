/** Shows one object for people: a headline, and a line for each of its facts. */
import type { Delivery, Image, Model, StoredFile, Video } from "../index.ts";
import { modelLine } from "./model-text.ts";
import { tokensText } from "./progress-display.ts";

/** A name and its value; without one it is left out. */
type Fact = [name: string, value: string | number | undefined];

export function generationText(generation: Image | Video): string {
  const { id, status, progress, model, mode, credits, input, output, error } = generation;
  const files = output.map((file): Fact => ["file", `${file.url}  ${formatText(file)}`]);
  return withFacts(`${id}  ${status}`, [
    ["model", `${model}, ${mode} mode`],
    ["prompt", input.prompt],
    ["progress", status === "processing" ? `${progress} %` : undefined],
    ["price", tokensText(credits)],
    ["created", generation.created_at],
    ["completed", generation.completed_at],
    ...files,
    ["error", error && `${error.code}: ${error.message}`],
  ]);
}

export function fileText(file: StoredFile): string {
  return withFacts(file.id, [
    ["url", file.url],
    ["format", formatText(file)],
    ["created", file.created_at],
    ["deleted", file.expires_at],
  ]);
}

export function deliveryText(delivery: Delivery): string {
  const { id, status, type, url, attempts } = delivery;
  return withFacts(`${id}  ${status}`, [
    ["event", `${type}  ${delivery.event_id}`],
    ["generation", delivery.generation_id],
    ["url", url],
    ...attempts.map((attempt): Fact => ["attempt", `${attempt.at}  ${answerText(attempt)}`]),
    ["next", delivery.next_attempt_at],
  ]);
}

export function modelText(model: Model): string {
  const { durations, pricing, parameters, fields = Object.keys(parameters) } = model;
  return withFacts(modelLine(model), [
    ["takes", model.inputs.join(", ")],
    ["needs", model.required_inputs.join(", ")],
    ["images", model.max_reference_images ? `at most ${model.max_reference_images}` : undefined],
    [
      "seconds",
      durations &&
        `${durations.min} to ${durations.max}, in steps of ${durations.step}; default ${durations.default}`,
    ],
    ["ratios", choicesText(model.aspect_ratios, model.default_aspect_ratio)],
    ["sizes", choicesText(model.sizes, model.default_size)],
    ["fields", fields.map((name) => fieldText(name, parameters[name])).join(", ") || undefined],
    ["prices", pricing?.tiers?.map((tier) => `${tier.tier} ${tokensText(tier.tokens)}`).join(", ")],
  ]);
}

function fieldText(name: string, parameter: Model["parameters"][string] | undefined): string {
  const { values, max } = parameter ?? {};
  const limits = [max === undefined ? "" : `at most ${max}`, values?.join(", ") ?? ""];
  const limit = limits.filter(Boolean).join(": ");
  return limit === "" ? name : `${name} (${limit})`;
}

/** What a receiver answered. */
export function answerText({ status_code: status, error }: Delivery["attempts"][number]): string {
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
  return [headline, ...given.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join(
    "\n",
  );
}
