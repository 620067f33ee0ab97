/** What sets a model apart from the others of its kind, in a few words. The catalog says all of it; it knows nothing of quality or speed. */
import type { components } from "#gen/openapi/media.ts";
import { quoteTokens } from "../../../clients/typescript/quote.ts";

type Model = components["schemas"]["Model"];

/** Fields that a model takes, as readers call them; others are shown by name. */
const FIELDS: Readonly<Record<string, string>> = {
  audio: "sound",
  last_image_url: "a last frame",
};

export function differences(model: Model, models: readonly Model[]): string {
  const others = models.filter(({ id, kind }) => kind === model.kind && id !== model.id);
  if (others.length === 0) return `The only model that makes ${model.kind}s.`;
  const known = others.map(traits);
  const own = traits(model).filter((trait) => known.some((theirs) => !theirs.includes(trait)));
  const price = usualPrice(model);
  const priced = others.filter(({ pricing }) => pricing && model.pricing);
  const isCheapest = priced.length > 0 && priced.every((other) => usualPrice(other) > price);
  const apart = [...(isCheapest ? ["the lowest price"] : []), ...longest(model, others), ...own];
  const same = priced.filter((other) => limitsOf(other) === limitsOf(model));
  const cheaper = same.filter((other) => usualPrice(other) < price);
  const dearer = same.filter((other) => usualPrice(other) > price);
  return [
    sentence("", apart),
    sentence("Takes the same for fewer Tokens than ", dearer.map(named)),
    sentence("Takes the same for more Tokens than ", cheaper.map(named)),
  ]
    .filter(Boolean)
    .join(" ");
}

function sentence(beginning: string, words: readonly string[]): string {
  if (words.length === 0) return "";
  const text = beginning + words.join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function named({ id }: Model): string {
  return `\`${id}\``;
}

/** What not every model of the kind may have. */
function traits({ inputs, required_inputs: required, ...model }: Model): string[] {
  const needed = required.filter((input) => input !== "text").map((input) => `needs ${aOf(input)}`);
  const steps = model.durations?.step === 1 ? ["any whole number of seconds"] : [];
  const only = inputs.length === 1 ? [`${inputs.join()} only`] : [];
  const fields = Object.keys(model.parameters).map((name) => FIELDS[name] ?? `\`${name}\``);
  return [...needed, ...only, ...steps, ...fields, ...(model.aspect_ratios ?? [])];
}

/** Where no other model makes as long ones. */
function longest({ durations }: Model, others: readonly Model[]): string[] {
  if (!durations || others.some((other) => (other.durations?.max ?? 0) >= durations.max)) return [];
  return [`the longest videos (up to ${durations.max} seconds)`];
}

/** Of a request that chooses nothing. */
function usualPrice(model: Model): bigint {
  const body = { duration: model.durations?.default, size: model.default_size };
  return quoteTokens(model, body as never) ?? 0n;
}

/** All that the model takes. */
function limitsOf({ id: _id, pricing: _pricing, ...limits }: Model): string {
  return JSON.stringify(limits);
}

function aOf(input: string): string {
  return input === "image" ? "an image" : `a ${input}`;
}
