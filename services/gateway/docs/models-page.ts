/** The catalog with list prices, as HTML and as Markdown. */
import type { components } from "#gen/openapi/media.ts";
import { html, markdown, type Html } from "./html.ts";

type Model = components["schemas"]["Model"];

const INTRODUCTION =
  "List prices in Tokens, as the catalog has them now. `GET /models` answers your own prices, and is the authority for what each model takes.";
const COLUMNS = ["Model", "Makes", "Takes", "Choices", "Price"];

export function modelsPage(models: readonly Model[]): Html {
  const rows = models.map(
    (model) =>
      html`<tr>
        <th scope="row"><code>${model.id}</code></th>
        ${cellsOf(model).map((cell) => html`<td>${cell}</td>`)}
      </tr>`,
  );
  return html`<h1>Models and prices</h1>
    ${markdown(INTRODUCTION)}
    <div class="scroll" tabindex="0" role="group" aria-label="Models">
      <table>
        <thead>
          <tr>
            ${COLUMNS.map((name) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}

export function modelsMarkdown(models: readonly Model[]): string {
  const lines = [COLUMNS, COLUMNS.map(() => "---")].concat(
    models.map((model) => [`\`${model.id}\``, ...cellsOf(model)]),
  );
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `# Models and prices\n\n${INTRODUCTION}\n\n${table}\n`;
}

/** What stands in the columns after the model's id. */
function cellsOf(model: Model): string[] {
  const { kind, inputs, required_inputs: required, availability } = model;
  return [
    kind,
    inputs.map((input) => (required.includes(input) ? `${input} (required)` : input)).join(", "),
    choices(model),
    availability === "available" ? price(model) : "unavailable",
  ];
}

function choices({ durations, resolution, aspect_ratios: ratios = [], sizes }: Model): string {
  if (!durations) return sizes.join(", ");
  const { min, max, step } = durations;
  const seconds = step === 1 ? `${min} to ${max} s` : `${min} to ${max} s in steps of ${step}`;
  return [seconds, resolution, ratios.join(" ")].filter(Boolean).join("; ");
}

function price({ pricing }: Model): string {
  if (!pricing) return "none";
  const {
    unit,
    unit_quantity: quantity,
    tokens,
    tiers,
    tokens_per_reference_image: reference,
  } = pricing;
  const perUnit = quantity === 1 ? unit : `${quantity} ${unit}s`;
  const base = tiers
    ? tiers.map(({ tier, tokens: tierTokens }) => `${tier} ${tierTokens}`).join(", ")
    : `${tokens} per ${perUnit}`;
  return reference ? `${base}; ${reference} per reference image` : base;
}
