/** Shows the price, creates a generation, waits for it, saves its file and shows the charge. */
import type { Model } from "../index.ts";
import { UsageError } from "./cli-errors.ts";
import type { GenerateOptions } from "./commands.ts";
import { requestFor, type Request } from "./create-request.ts";
import { checkOut, waitFor } from "./follow.ts";
import { tokensText } from "./progress-display.ts";
import { quoteTokens } from "./quote.ts";
import { finish, followCommand, type Generation, type Run } from "./run.ts";

/** True if the file is saved, false if the generation failed or was canceled. */
export async function generate(
  run: Run,
  prompt: string | undefined,
  options: GenerateOptions,
): Promise<boolean> {
  await checkOut(run, options.out);
  return finish(run, await createGeneration(run, prompt, options), options.out);
}

async function createGeneration(
  run: Run,
  prompt: string | undefined,
  options: GenerateOptions,
): Promise<Generation> {
  const { client, screen, signal } = run;
  if (prompt === undefined) throw new UsageError("Give a prompt. --help lists the commands.");
  const models = await client.listModels({ signal });
  const model = models.find(({ id }) => id === options.model);
  if (!model) throw new UsageError(catalogText(options.model, models));
  const request = requestFor(model, prompt, options);
  const { available, mode } = await client.retrieveBalance({ signal });
  const price = quoteTokens(model, request);
  const test = mode === "test" ? "test " : "";
  const cost = price === undefined ? "" : ` costs ${tokensText(price)}`;
  screen.line(`${model.id}${cost}; ${test}balance ${tokensText(available)}.`);

  const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
  run.setHint(
    `If the request was accepted, the same command with --idempotency-key ${idempotencyKey} continues it without a second charge.`,
  );
  return submit(run, request, options, { idempotencyKey, signal });
}

async function submit(
  run: Run,
  request: Request,
  { out }: GenerateOptions,
  callOptions: { idempotencyKey: string; signal: AbortSignal },
): Promise<Generation> {
  if (request.kind === "image") {
    run.screen.progress("processing", 0);
    return run.client.createImage(request.body, callOptions);
  }
  const { id } = await run.client.createVideo(request.body, callOptions);
  run.screen.line(id);
  run.setHint(`The generation continues. To wait for it again: ${followCommand(run, id, out)}`);
  return waitFor(run, id);
}

function catalogText(requested: string | undefined, models: readonly Model[]): string {
  const lines = models.map((model) => {
    const price = model.pricing ? priceText(model.pricing) : "no price";
    const isAvailable = model.availability === "available";
    return `  ${model.id}  ${model.kind}, ${isAvailable ? price : "unavailable"}`;
  });
  const start = requested === undefined ? "Choose a --model" : `There is no model ${requested}`;
  return `${start}; the catalog has:\n${lines.join("\n")}`;
}

function priceText({ tokens, unit, unit_quantity: quantity }: NonNullable<Model["pricing"]>) {
  return `${tokensText(tokens)} per ${quantity === 1 ? unit : `${quantity} ${unit}s`}`;
}
