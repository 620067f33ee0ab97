/** The catalog with list prices, as Markdown. */
import type { components } from "#gen/openapi/media.ts";
import { differences } from "./model-differences.ts";
import { tokensText, type TokenPrice } from "./tokens-text.ts";

type Model = components["schemas"]["Model"];

const INTRODUCTION =
  "List prices in Tokens, as the catalog has them now. Each model has a page with its fields, limits, prices of typical requests and samples. [`GET /models`](/docs/reference/list-models) answers your own prices, and is the authority for what each model takes. How a model draws and how fast it is, the catalog cannot know: give several the same prompt in live mode, and compare.";
const COLUMNS = ["Model", "Price", "What sets it apart", "Makes", "Takes", "Choices"];

/** Below /docs. */
export function modelPath(id: string): string {
  return `models/${id}`;
}

export function modelsMarkdown(
  models: readonly Model[],
  tokenPrice: TokenPrice | undefined,
): string {
  const lines = [COLUMNS, COLUMNS.map(() => "---")].concat(
    models.map((model) => [
      `[\`${model.id}\`](/docs/${modelPath(model.id)})`,
      ...cellsOf(model, models, tokenPrice),
    ]),
  );
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `# Models and prices\n\n${INTRODUCTION}\n\n${table}\n`;
}

/** What stands in the columns after the model's id. */
function cellsOf(
  model: Model,
  models: readonly Model[],
  tokenPrice: TokenPrice | undefined,
): string[] {
  const { kind, inputs, required_inputs: required, availability } = model;
  return [
    availability === "available" ? price(model, tokenPrice) : "unavailable",
    differences(model, models),
    kind,
    inputs.map((input) => (required.includes(input) ? `${input} (required)` : input)).join(", "),
    choices(model),
  ];
}

function choices({ durations, resolution, aspect_ratios: ratios = [], sizes }: Model): string {
  if (!durations) return sizes.join(", ");
  const { min, max, step } = durations;
  const seconds = step === 1 ? `${min} to ${max} s` : `${min} to ${max} s in steps of ${step}`;
  return [seconds, resolution, ratios.join(" ")].filter(Boolean).join("; ");
}

function price({ pricing }: Model, tokenPrice: TokenPrice | undefined): string {
  if (!pricing) return "none";
  const {
    unit,
    unit_quantity: quantity,
    tokens,
    tiers,
    tokens_per_reference_image: reference,
  } = pricing;
  const text = (amount: number) => tokensText(amount, tokenPrice);
  const perUnit = quantity === 1 ? unit : `${quantity} ${unit}s`;
  const base = tiers
    ? tiers.map(({ tier, tokens: ofTier }) => `${tier} ${text(ofTier)}`).join(", ")
    : `${text(tokens)} per ${perUnit}`;
  return reference ? `${base}; ${text(reference)} per reference image` : base;
}
