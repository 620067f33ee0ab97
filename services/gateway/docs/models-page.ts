/** The catalog with list prices. */
import type { components } from "#gen/openapi/media.ts";
import { html, type Html } from "./html.ts";

type Model = components["schemas"]["Model"];

export function modelsPage(models: readonly Model[]): Html {
  const rows = models.map(
    (model) =>
      html`<tr>
        <th scope="row"><code>${model.id}</code></th>
        <td>${model.kind}</td>
        <td>
          ${model.inputs.map((input) => (model.required_inputs.includes(input) ? `${input} (required)` : input)).join(", ")}
        </td>
        <td>${choices(model)}</td>
        <td>${model.availability === "available" ? price(model) : "unavailable"}</td>
      </tr>`,
  );
  return html`<h1>Models and prices</h1>
    <p>
      List prices in Tokens, as the catalog has them now. <code>GET /models</code> answers your own
      prices, and is the authority for what each model takes.
    </p>
    <div class="scroll" tabindex="0" role="group" aria-label="Models">
      <table>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Makes</th>
            <th scope="col">Takes</th>
            <th scope="col">Choices</th>
            <th scope="col">Price</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
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
