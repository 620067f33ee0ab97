/** One run: shows the price, creates or takes up a generation, waits for it, saves its file, and shows the cost. */
import { relative } from "node:path";
import type { Client, Image, Model, Video } from "../index.ts";
import { fromCaller } from "./options.ts";
import type { Env, GenerateOptions } from "./options.ts";
import { quoteTokens, requestFor } from "./request.ts";
import type { Request } from "./request.ts";
import { checkWritable, defaultName, save } from "./save.ts";
import { tokensText } from "./screen.ts";
import type { Screen } from "./screen.ts";
import { UsageError } from "./cli-errors.ts";

export type Run = {
  client: Client;
  screen: Screen;
  /** Takes the path of the saved file. */
  answer: (path: string) => void;
  env: Env;
  signal: AbortSignal;
  /** What to tell a person whose run is cut off from here on. */
  setHint: (hint: string) => void;
};

const POLL_MS = 1_000;

/** True where the file is saved, false where the generation failed or was canceled. */
export async function generate(
  run: Run,
  prompt: string | undefined,
  options: GenerateOptions,
): Promise<boolean> {
  if (options.out !== undefined) await checkWritable(fromCaller(options.out, run.env));
  const ended =
    options.resume === undefined
      ? await created(run, prompt, options)
      : await resumed(run, prompt, options.resume, options);
  const [output] = ended.output;
  if (!output) {
    const { status, error } = ended;
    run.screen.line(error ? `${status} (${error.code}): ${error.message}` : status);
    run.screen.line(`Nothing is charged; ${await leftText(run)}`);
    return false;
  }
  const path = fromCaller(options.out ?? defaultName(ended.id, output.url), run.env);
  await save(output, path, run.signal);
  const near = relative(fromCaller(".", run.env), path);
  run.screen.line("Saved:");
  run.answer(near.startsWith("..") ? path : near);
  run.screen.line(`Charged ${tokensText(ended.credits)}; ${await leftText(run)}`);
  return true;
}

async function leftText({ client, signal }: Run): Promise<string> {
  const { available } = await client.retrieveBalance({ signal });
  return `${tokensText(available)} left.`;
}

async function created(
  run: Run,
  prompt: string | undefined,
  options: GenerateOptions,
): Promise<Video | Image> {
  const { client, screen, signal } = run;
  if (prompt === undefined) throw new UsageError("Say what to generate, or --resume ID.");
  const models = await client.listModels({ signal });
  const model = models.find(({ id }) => id === options.model);
  if (!model) throw new UsageError(modelsText(options.model, models));
  const request = requestFor(model, prompt, options);
  const { available, mode } = await client.retrieveBalance({ signal });
  const price = quoteTokens(model, request);
  const test = mode === "test" ? "test " : "";
  const cost = price === undefined ? "" : ` costs ${tokensText(price)};`;
  screen.line(`${model.id}${cost} ${test}balance ${tokensText(available)}.`);

  const idempotencyKey = options.idempotencyKey ?? crypto.randomUUID();
  run.setHint(
    `If it was accepted, the same command with --idempotency-key ${idempotencyKey} goes on with it, without a second charge.`,
  );
  return submitted(run, request, options, { idempotencyKey, signal });
}

async function submitted(
  run: Run,
  request: Request,
  options: GenerateOptions,
  how: { idempotencyKey: string; signal: AbortSignal },
): Promise<Video | Image> {
  if (request.kind === "image") {
    run.screen.progress("processing", 0);
    return run.client.createImage(request.body, how);
  }
  const { id } = await run.client.createVideo(request.body, how);
  run.screen.line(id);
  run.setHint(`It goes on. To wait for it again: ${resumeCommand(id, options)}`);
  return waitedFor(run, id);
}

function resumed(
  run: Run,
  prompt: string | undefined,
  id: string,
  options: GenerateOptions,
): Promise<Video | Image> {
  if (prompt !== undefined) throw new UsageError("--resume takes no prompt.");
  run.setHint(`To try again: ${resumeCommand(id, options)}`);
  return waitedFor(run, id);
}

function waitedFor({ client, screen, signal }: Run, id: string): Promise<Video | Image> {
  const onProgress = ({ status, progress }: Video | Image) => screen.progress(status, progress);
  const how = { onProgress, signal, pollMs: POLL_MS };
  return id.startsWith("igen_") ? client.waitForImage(id, how) : client.waitForVideo(id, how);
}

export function resumeCommand(id: string, { out, baseUrl }: GenerateOptions): string {
  const rest = [
    ...(out === undefined ? [] : ["--out", quoted(out)]),
    ...(baseUrl === undefined ? [] : ["--base-url", quoted(baseUrl)]),
  ];
  return ["npm run --silent generate -- --resume", id, ...rest].join(" ");
}

function quoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function modelsText(asked: string | undefined, models: readonly Model[]): string {
  const lines = models.map((model) => {
    const { pricing } = model;
    const unit = pricing && (pricing.unit_quantity === 1 ? "" : `${pricing.unit_quantity} `);
    const price = pricing ? `${tokensText(pricing.tokens)} per ${unit}${pricing.unit}` : "no price";
    const isAvailable = model.availability === "available";
    return `  ${model.id}  ${model.kind}, ${isAvailable ? price : "unavailable"}`;
  });
  const start = asked === undefined ? "Choose a --model" : `There is no model ${asked}`;
  return `${start}; the catalog has:\n${lines.join("\n")}`;
}
