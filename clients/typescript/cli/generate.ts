/** One run: shows the price, creates or resumes a generation, waits for it, saves its file and shows the charge. */
import { relative } from "node:path";
import type { Client, Image, Model, Video } from "../index.ts";
import { resolveFromCaller } from "./options.ts";
import type { Environment, GenerateOptions } from "./options.ts";
import { quoteTokens, requestFor } from "./create-request.ts";
import type { Request } from "./create-request.ts";
import { checkWritable, defaultName, save } from "./save-file.ts";
import { tokensText } from "./progress-display.ts";
import type { Screen } from "./progress-display.ts";
import { UsageError } from "./cli-errors.ts";

export type Run = {
  client: Client;
  screen: Screen;
  /** Prints the path of the saved file. */
  printPath: (path: string) => void;
  env: Environment;
  signal: AbortSignal;
  /** Sets the text to show if the run is interrupted from now on. */
  setHint: (hint: string) => void;
};

const POLL_MS = 1_000;

/** True if the file is saved, false if the generation failed or was canceled. */
export async function generate(
  run: Run,
  prompt: string | undefined,
  options: GenerateOptions,
): Promise<boolean> {
  if (options.out !== undefined) await checkWritable(resolveFromCaller(options.out, run.env));
  const generation =
    options.resume === undefined
      ? await createGeneration(run, prompt, options)
      : await resume(run, prompt, options.resume, options);
  const [output] = generation.output;
  if (!output) {
    const { status, error } = generation;
    run.screen.line(error ? `${status} (${error.code}): ${error.message}` : status);
    run.screen.line(`Nothing is charged; ${await balanceText(run)}`);
    return false;
  }
  const path = resolveFromCaller(options.out ?? defaultName(generation.id, output.url), run.env);
  await save(output, path, run.signal);
  const relativePath = relative(resolveFromCaller(".", run.env), path);
  run.screen.line("Saved:");
  run.printPath(relativePath.startsWith("..") ? path : relativePath);
  run.screen.line(`Charged ${tokensText(generation.credits)}; ${await balanceText(run)}`);
  return true;
}

async function balanceText({ client, signal }: Run): Promise<string> {
  const { available } = await client.retrieveBalance({ signal });
  return `${tokensText(available)} left.`;
}

async function createGeneration(
  run: Run,
  prompt: string | undefined,
  options: GenerateOptions,
): Promise<Video | Image> {
  const { client, screen, signal } = run;
  if (prompt === undefined) throw new UsageError("Give a prompt, or --resume ID.");
  const models = await client.listModels({ signal });
  const model = models.find(({ id }) => id === options.model);
  if (!model) throw new UsageError(catalogText(options.model, models));
  const request = requestFor(model, prompt, options);
  const { available, mode } = await client.retrieveBalance({ signal });
  const price = quoteTokens(model, request);
  const test = mode === "test" ? "test " : "";
  const cost = price === undefined ? "" : ` costs ${tokensText(price)};`;
  screen.line(`${model.id}${cost} ${test}balance ${tokensText(available)}.`);

  const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
  run.setHint(
    `If the request was accepted, the same command with --idempotency-key ${idempotencyKey} continues it without a second charge.`,
  );
  return submit(run, request, options, { idempotencyKey, signal });
}

async function submit(
  run: Run,
  request: Request,
  options: GenerateOptions,
  callOptions: { idempotencyKey: string; signal: AbortSignal },
): Promise<Video | Image> {
  if (request.kind === "image") {
    run.screen.progress("processing", 0);
    return run.client.createImage(request.body, callOptions);
  }
  const { id } = await run.client.createVideo(request.body, callOptions);
  run.screen.line(id);
  run.setHint(`The generation continues. To wait for it again: ${resumeCommand(id, options)}`);
  return waitFor(run, id);
}

function resume(
  run: Run,
  prompt: string | undefined,
  id: string,
  options: GenerateOptions,
): Promise<Video | Image> {
  if (prompt !== undefined) throw new UsageError("--resume takes no prompt.");
  run.setHint(`To try again: ${resumeCommand(id, options)}`);
  return waitFor(run, id);
}

function waitFor({ client, screen, signal }: Run, id: string): Promise<Video | Image> {
  const onProgress = ({ status, progress }: Video | Image) => screen.progress(status, progress);
  const waitOptions = { onProgress, signal, pollMs: POLL_MS };
  return id.startsWith("igen_")
    ? client.waitForImage(id, waitOptions)
    : client.waitForVideo(id, waitOptions);
}

export function resumeCommand(id: string, { out, baseUrl }: GenerateOptions): string {
  const rest = [
    ...(out === undefined ? [] : ["--out", shellQuoted(out)]),
    ...(baseUrl === undefined ? [] : ["--base-url", shellQuoted(baseUrl)]),
  ];
  return ["npm run --silent generate -- --resume", id, ...rest].join(" ");
}

function shellQuoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function catalogText(requested: string | undefined, models: readonly Model[]): string {
  const lines = models.map((model) => {
    const { pricing } = model;
    const unit = pricing && (pricing.unit_quantity === 1 ? "" : `${pricing.unit_quantity} `);
    const price = pricing ? `${tokensText(pricing.tokens)} per ${unit}${pricing.unit}` : "no price";
    const isAvailable = model.availability === "available";
    return `  ${model.id}  ${model.kind}, ${isAvailable ? price : "unavailable"}`;
  });
  const start = requested === undefined ? "Choose a --model" : `There is no model ${requested}`;
  return `${start}; the catalog has:\n${lines.join("\n")}`;
}
