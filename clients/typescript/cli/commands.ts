/** The commands, their options and their help. */
import { Command, InvalidArgumentError, Option, type OutputConfiguration } from "commander";
import packageJson from "../package.json" with { type: "json" };

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
  idempotencyKey?: string;
};
export type OutOptions = { out?: string };
export type ListOptions = {
  status?: "pending" | "processing" | "success" | "failed" | "canceled";
  model?: string;
  limit: number;
  json?: boolean;
};
export type ListedKind = "videos" | "images";

/** What each command does; the service's URL is an option of all of them. */
export type Actions = {
  generate: (prompt: string | undefined, options: GenerateOptions) => Promise<void>;
  list: (kind: ListedKind, options: ListOptions) => Promise<void>;
  show: (id: string) => Promise<void>;
  cancel: (id: string) => Promise<void>;
  download: (id: string, options: OutOptions) => Promise<void>;
  follow: (id: string, options: OutOptions) => Promise<void>;
};

const HELP = `
The price is shown first, the charge at the end. Progress goes to stderr; the saved file's path, lists and JSON go to
stdout. Ctrl-C stops the waiting, not the generation, and prints how to continue.

Environment:
  MEDIA_API_KEY   your API key; by default the demo key that npm start writes to .data/demo/live-key
  MEDIA_BASE_URL  the service's URL; by default http://localhost:PORT/v1, with PORT 8080

Exit codes:
  0    it is done; the file, if there is one, is saved
  1    the generation failed or was canceled; its Tokens are restored
  2    the command is wrong, or the service refused the request
  3    the service or the file cannot be reached
  130  stopped with Ctrl-C

Examples:
  media-generation "a cat in the rain" --model beta-3.0-video --duration 5 --out cat.mp4
  media-generation "a lighthouse" --model gamma-image-3.0-pro --size 1280x720
  media-generation list videos --status processing
  media-generation follow vgen_… --out cat.mp4`;

const STATUSES = ["pending", "processing", "success", "failed", "canceled"];
const DEFAULT_LIST_LENGTH = 20;
const OUT = "where to save the file, replacing an existing one (default: its id)";

/** Calls the action of the command with the parsed arguments. Throws CommanderError where they are wrong. */
export function commandLine(actions: Actions, output: OutputConfiguration = {}): Command {
  const program = new Command("media-generation")
    .description("Generate videos and images from prompts, and manage them.")
    .version(packageJson.version)
    .option("--base-url <url>", "the service's URL, including /v1")
    .addHelpText("after", HELP)
    .showHelpAfterError("Use --help for the options.")
    .configureOutput(output)
    .exitOverride();
  addGenerate(program, actions);
  program
    .command("list")
    .description("list generations, newest first: id, time of creation, status, model")
    .argument("[kind]", "videos or images", listedKind, "videos")
    .addOption(new Option("--status <status>", "only those").choices(STATUSES))
    .option("--model <id>", "only those of this model")
    .option("--limit <n>", "how many at most", wholeNumber, DEFAULT_LIST_LENGTH)
    .option("--json", "one JSON object a line, with all fields")
    .action(actions.list);
  program
    .command("show")
    .description("print a generation as JSON")
    .argument("<id>")
    .action(actions.show);
  program
    .command("cancel")
    .description("cancel a video; its Tokens are restored")
    .argument("<id>")
    .action(actions.cancel);
  program
    .command("download")
    .description("save the file of a finished generation")
    .argument("<id>")
    .option("--out <file>", OUT)
    .action(actions.download);
  program
    .command("follow")
    .description("show the progress of a generation to its end, then save its file")
    .argument("<id>")
    .option("--out <file>", OUT)
    .action(actions.follow);
  return program;
}

function addGenerate(program: Command, actions: Actions): void {
  program
    .command("generate", { isDefault: true })
    .description("generate a video or an image, and save it; the word generate may be left out")
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
    .option("--out <file>", OUT)
    .option("--idempotency-key <key>", "repeats an earlier request without a second charge")
    .action(actions.generate);
}

function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

function listedKind(text: string): ListedKind {
  if (text === "videos" || text === "images") return text;
  throw new InvalidArgumentError("It must be videos or images.");
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
