/** The command line's options and help, and how it finds the service and the API key. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { UsageError } from "./cli-errors.ts";

export type GenerateOptions = {
  model?: string;
  duration?: number;
  aspectRatio?: string;
  negativePrompt?: string;
  imageUrl?: string[];
  size?: string;
  seed?: number;
  metadata?: Record<string, string>;
  out?: string;
  resume?: string;
  idempotencyKey?: string;
  baseUrl?: string;
};

export type Environment = Readonly<Record<string, string | undefined>>;

const HELP = `
The price is shown first, the charge at the end. Progress goes to stderr, the saved file's path to stdout.
Ctrl-C stops the waiting, not the generation, and prints how to continue.

Environment:
  MEDIA_API_KEY      your API key; by default the demo key that npm start writes to .data/demo/live-key
  GENERATE_BASE_URL  the service's URL; by default http://localhost:PORT/v1, with PORT 8080

Exit codes:
  0    the file is saved
  1    the generation failed or was canceled; its Tokens are restored
  2    the command is wrong, or the service refused the request
  3    the service or the file cannot be reached
  130  stopped with Ctrl-C

Examples:
  npm run --silent generate -- "a cat in the rain" --model beta-3.0-video --duration 5 --out cat.mp4
  npm run --silent generate -- "a lighthouse" --model gamma-image-3.0-pro --size 1280x720
  npm run --silent generate -- --resume vgen_… --out cat.mp4`;

/** Calls `action` with the parsed arguments. Throws CommanderError where they are wrong. */
export function commandLine(
  action: (prompt: string | undefined, options: GenerateOptions) => Promise<void>,
): Command {
  return new Command("generate")
    .description("Generate a video or an image from a prompt, and save it.")
    .argument("[prompt]", "what the video or image shows")
    .option("--model <id>", "the model; without it, the models are listed")
    .option("--duration <seconds>", "of a video; the model has a default", wholeNumber)
    .option("--aspect-ratio <ratio>", "of a video, such as 16:9")
    .option("--negative-prompt <text>", "what the result must not show")
    .option("--image-url <url>", "a first frame or reference image; repeat for several", appended)
    .option("--size <size>", "of an image, such as 1280x720")
    .option("--seed <n>", "of an image: the same seed gives similar pictures", wholeNumber)
    .option(
      "--metadata <key=value>",
      "metadata of the generation; repeat for several",
      withMetadata,
    )
    .option("--out <file>", "where to save the file, replacing an existing one (default: its id)")
    .option("--resume <id>", "wait for and save an existing generation")
    .option("--idempotency-key <key>", "repeats an earlier request without a second charge")
    .option("--base-url <url>", "the service's URL, including /v1")
    .addHelpText("after", HELP)
    .showHelpAfterError("Use --help for the options.")
    .exitOverride()
    .action(action);
}

/** The service's URL, including /v1. */
export function baseUrlOf(options: GenerateOptions, env: Environment): string {
  const url = options.baseUrl || env["GENERATE_BASE_URL"];
  if (url && !URL.canParse(url)) throw new UsageError(`Not a URL: ${url}`);
  return url || `http://localhost:${env["PORT"] || "8080"}/v1`;
}

export function apiKeyOf(env: Environment): string {
  const key = env["MEDIA_API_KEY"]?.trim();
  if (key) return key;
  const file = join(env["DATA_DIR"] || ".data", "demo", "live-key");
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new UsageError(`There is no API key: set MEDIA_API_KEY, or start the demo (${file}).`);
  }
}

/** A path relative to the folder where npm was called; npm itself runs scripts in the package's folder. */
export function resolveFromCaller(path: string, env: Environment): string {
  const isOurScript = env["npm_lifecycle_event"] === "generate";
  return resolve((isOurScript && env["INIT_CWD"]) || ".", path);
}

function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

function appended(text: string, before: string[] = []): string[] {
  return [...before, text];
}

function withMetadata(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new InvalidArgumentError("It must be like order=8841.");
  }
  return { ...before, [key]: value };
}
