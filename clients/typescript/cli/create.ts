/** Shows the price, creates a generation, waits for it, saves its file and shows the charge. */
import type { Model } from "../index.ts";
import { UsageError } from "./cli-errors.ts";
import {
  checkPictures,
  requestFor,
  type CreateOptions,
  type Kind,
  type Request,
} from "./create-request.ts";
import { checkOut, waitFor } from "./get.ts";
import { tokensText } from "./progress-display.ts";
import { quoteFor } from "./quote.ts";
import { finish, getCommand, type Generation, type Run } from "./run.ts";

/** True if the file is saved or nothing is waited for, false if the generation failed or was canceled. */
export async function create(
  run: Run,
  kind: Kind,
  prompt: string,
  options: CreateOptions,
): Promise<boolean> {
  await checkOut(run, options.out);
  await checkPictures(options, run.env);
  const { client, screen, signal } = run;
  const models = await client.listModels({ signal });
  const model = models.find(({ id }) => id === options.model);
  if (!model) throw new UsageError(catalogText(options.model, kind, models));
  if (model.kind !== kind) {
    throw new UsageError(`${model.id} makes ${model.kind}s: media-generation ${model.kind} …`);
  }
  const request = requestFor(kind, model.id, prompt, options, run.env);
  const { available, mode } = await client.retrieveBalance({ signal });
  const price = quoteFor(model, request);
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
  { out, wait = true }: CreateOptions,
  callOptions: { idempotencyKey: string; signal: AbortSignal },
): Promise<boolean> {
  const accepted: Generation =
    request.kind === "image"
      ? await run.client.createImage(request.body, { ...callOptions, respondAsync: true })
      : await run.client.createVideo(request.body, callOptions);
  if (!wait) {
    run.print(run.json ? JSON.stringify(accepted) : accepted.id);
    run.screen.line(`To wait for it: ${getCommand(run, accepted.id, out)}`);
    return true;
  }
  run.screen.line(accepted.id);
  run.setHint(
    `The generation continues. To wait for it again: ${getCommand(run, accepted.id, out)}`,
  );
  return finish(run, await waitFor(run, accepted.id), out);
}

function catalogText(requested: string | undefined, kind: Kind, models: readonly Model[]): string {
  const lines = models
    .filter((model) => model.kind === kind)
    .map((model) => `  ${modelLine(model)}`);
  const start = requested === undefined ? "Choose a --model" : `There is no model ${requested}`;
  return `${start}; the catalog has:\n${lines.join("\n")}`;
}

/** A model's id, kind and price. */
export function modelLine({ id, kind, pricing, availability }: Model): string {
  const price = pricing ? priceText(pricing) : "no price";
  return `${id}  ${kind}, ${availability === "available" ? price : "unavailable"}`;
}

function priceText({ tokens, unit, unit_quantity: quantity }: NonNullable<Model["pricing"]>) {
  return `${tokensText(tokens)} per ${quantity === 1 ? unit : `${quantity} ${unit}s`}`;
}
