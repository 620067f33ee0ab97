/** The commands, their options and their help. */
import {
  Argument,
  Command,
  InvalidArgumentError,
  Option,
  type OutputConfiguration,
} from "commander";
import { ArgumentError } from "../index.ts";
import packageJson from "../package.json" with { type: "json" };
import { create, type CreateOptions } from "./create.ts";
import { IS_CHECKOUT } from "./environment.ts";
import { listen } from "./listen.ts";
import { balance, cancel, get, list, models, redeliver, remove, upload } from "./objects.ts";
import type { Run } from "./run.ts";

/** The function that runs a command with its parsed arguments, for commander to call. */
export type Runner = <Args extends unknown[]>(
  command: (run: Run, ...args: Args) => Promise<boolean | void>,
) => (...args: Args) => Promise<void>;

const LISTED = ["videos", "images", "files", "deliveries"];
const DEFAULT_LENGTH = 20;
const OUTPUT =
  "the file or the folder to save to, or - for the standard output; an existing file is replaced";
const OF_SOME = 'this and what follows: for models that take it, by "models <id>"';
const ID = "the id of a generation, file or delivery";

/** Parsing throws CommanderError where arguments are wrong. `name` is what the user types for the command line. */
export function commandLine(
  runs: Runner,
  name = "media-generation",
  output: OutputConfiguration = {},
): Command {
  const program = new Command(name)
    .description("Generate videos and images from prompts, and manage them.")
    .version(packageJson.version)
    .option("--base-url <url>", "the service's URL; /v1 is added where it has no path")
    .option("--json", "print JSON, one object a line")
    .addHelpText("after", helpText(name))
    .helpCommand("help [command]", "show the help of a command")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(`"${name} --help" lists the commands.`)
    .configureOutput(output)
    .exitOverride();
  addCreates(program, runs);
  program
    .command("models")
    .description("list the models with their prices, or show one")
    .argument("[id]", "the model's id")
    .addOption(new Option("--kind <kind>", "only those that make this").choices(["video", "image"]))
    .action(runs(models));
  program.command("balance").description("show the Tokens").action(runs(balance));
  program
    .command("get")
    .description("show a generation, file or delivery; wait for a generation, save its file")
    .argument("<id>", ID)
    .option("--wait", "show the progress of a generation to its end")
    .option("-o, --output <path>", OUTPUT)
    .action(runs(get));
  program
    .command("list")
    .description("list generations, files or webhook deliveries, newest first")
    .addArgument(new Argument("[kind]", "what to list; without it, videos").choices(LISTED))
    .option("--limit <n>", "how many at most", atLeastOne, DEFAULT_LENGTH)
    .option("--status <status>", "only those, such as failed; a failing delivery is pending")
    .option("-m, --model <id>", "only those of this model")
    .option("--end-user <id>", "only those for this user of yours")
    .option("--created-after <time>", "only those: 2026-11-01T12:00:00Z or a day, UTC", timeOf)
    .option("--created-before <time>", "only those; a day is its beginning", timeOf)
    .option("--after <id>", "go on after this one, the last of an earlier list")
    .action(runs(list));
  program
    .command("cancel")
    .description("cancel a video or image; its Tokens are restored")
    .argument("<id>", "the id of a generation")
    .action(runs(cancel));
  program
    .command("delete")
    .description("delete an ended generation with its files, or a file that nothing uses")
    .argument("<id>", "the id of a generation or file")
    .option("-y, --yes", "do not ask")
    .action(runs(remove));
  program
    .command("redeliver")
    .description("send a webhook again, now")
    .argument("<id>", "the id of a delivery")
    .action(runs(redeliver));
  program
    .command("upload")
    .description("send a picture, and print its URL")
    .argument("<file>", "a PNG, JPEG or WebP of at most 20 MB; - reads it from the standard input")
    .action(runs(upload));
  addListen(program, runs);
  for (const command of program.commands) {
    const help = `"${name} ${command.name()} --help" lists its options.`;
    command.showHelpAfterError(help).addHelpText("after", examplesText(name, command.name()));
  }
  return program;
}

function addCreates(program: Command, runs: Runner): void {
  const common = (name: "video" | "image"): Command =>
    program
      .command(name)
      .argument("<prompt>", `what the ${name} shows; - reads it from the standard input`)
      .option("-m, --model <id>", "the model; without it, the models are listed")
      .option("--negative-prompt <text>", `what the ${name} must not show`)
      .option("--seed <n>", "the same seed gives similar results", wholeNumber)
      .option("--end-user <id>", "which user of yours it is for, by an id of yours")
      .option("--metadata <key=value>", "your own notes; repeat for several", withMetadata)
      .option("--webhook-url <url>", "where the service sends the event when it ends")
      .option("--wait", `wait for the ${name} and save it (the default)`)
      .option("--no-wait", "print its id as soon as it is accepted")
      .option("-o, --output <path>", `${OUTPUT} (default: its id, in this folder)`)
      .option("--idempotency-key <key>", "repeats an earlier request without a second charge")
      .allowExcessArguments()
      .action((prompt: string, options: CreateOptions, { args }: Command) => {
        if (args.length > 1)
          throw new ArgumentError(
            `There are ${args.length} arguments. Quote the prompt: ${program.name()} ${name} "${args.join(" ")}" …`,
          );
        return runs(create)(name, prompt, options);
      });
  common("video")
    .description("generate a video, wait for it and save it")
    .option("--duration <seconds>", "the model has a default and its limits", wholeNumber)
    .option("--aspect-ratio <ratio>", 'such as 16:9; "models <id>" lists those of a model')
    .option("--resolution <name>", OF_SOME)
    .option("--audio", "with sound")
    .option("--no-audio", "without sound")
    .option("--image <file-or-url>", "the first frame or reference image", appended)
    .option("--last-image <file-or-url>", "the last frame");
  common("image")
    .description("generate an image, wait for it and save it")
    .option("--size <size>", "such as 1280x720; the model has a default")
    .option("--image <file-or-url>", "a reference image; repeat for several", appended)
    .option("--n <count>", `how many images; ${OF_SOME}`, wholeNumber)
    .option("--background <kind>", "opaque or transparent")
    .option("--output-format <format>", "png, jpeg or webp")
    .option("--no-prompt-extend", "make the prompt's words no richer");
}

function addListen(program: Command, runs: Runner): void {
  program
    .command("listen")
    .description("send the webhooks of the account's generations to an address of your own, signed")
    .argument("[id]", "only the event of this generation, also again; then it ends")
    .option("--forward-to <url>", "such as localhost:3000/webhooks; without it they are only shown")
    .option("--print-secret", "print the signing secret only")
    .addHelpText(
      "after",
      `
Every five seconds it asks the service which videos and images have ended since it began, of all keys in the mode of yours, and
makes their video.generation.* and image.generation.* events here; a webhook_url is not needed. The bodies are those that the
service sends. The signature is by a secret of this command, which is the same for the same API key; ids of events are its own
too. An event is sent once, whatever the answer; with the id of its generation, once more. It does not show balance.low,
limit.reached and webhook.test, which the service sends to public addresses only: "list deliveries" has what was sent.`,
    )
    .action(runs(listen));
}

function wholeNumber(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

function atLeastOne(text: string): number {
  if (wholeNumber(text) >= 1) return Number(text);
  throw new InvalidArgumentError("It must be at least 1.");
}

/** A day is its beginning. */
function timeOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
}

function appended(text: string, before: string[] = []): string[] {
  return [...before, text];
}

function withMetadata(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined)
    throw new InvalidArgumentError("It must be like order=8841.");
  return { ...before, [key]: value };
}

/** `program` is what the user types. */
function helpText(program: string): string {
  const key = IS_CHECKOUT
    ? `your API key; by default the demo account's key of test mode, which npm start writes to
                  .data/demo/test-key`
    : "your API key; the service's dashboard makes one";
  const url = IS_CHECKOUT
    ? `the service's URL; by default http://localhost:PORT/v1, else that of .data/demo/url,
                  which npm start writes, else http://localhost:8080/v1`
    : "the service's URL; by default that of the service which npm has this package from";
  return `
The price is shown first, the charge at the end. The saved file's path, lists and JSON go to stdout; everything else goes
to stderr. Colors, unless NO_COLOR is set, and a progress bar are for terminals only. Times are those of your time zone.
Ctrl-C stops the waiting, not the generation, and prints how to continue and how to cancel.

With --json stdout has JSON only, one object a line, as the API has it. Whatever fails prints
{"error": {"code": …, "message": …}} there, and its text to stderr. Codes that are not the API's: usage_error,
connection_error, timeout, save_error, stopped, unexpected_error.

Environment:
  MEDIA_API_KEY   ${key}
  MEDIA_BASE_URL  ${url}

Exit codes:
  0    it is done; the file, if there is one, is saved
  1    the generation failed or was canceled, and its Tokens are restored; or listen <id> was not answered with 2xx
  2    the command is wrong, or the service refused the request
  3    the service or the file cannot be reached
  130  stopped with Ctrl-C; listen, which ends in no other way, exits with 0 then

Examples:
${EXAMPLES_OF_ALL.map((example) => `  ${program} ${example}`).join("\n")}`;
}

/** How each command is used. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  video: [
    'video "a cat in the rain" --model beta-3.0-video --duration 5 --output cat.mp4',
    'video "the cat wakes up" --model alpha-2.0 --image cat.png --output clips/',
    "video - --model beta-3.0-video < prompt.txt",
  ],
  image: [
    'image "a lighthouse" --model gamma-image-3.0-pro --size 1280x720',
    'image "at night" --model gamma-image-3.0-pro --image day.png --output night.png',
  ],
  models: ["models --kind video", "models beta-3.0-video"],
  balance: ["balance --json"],
  get: ["get vgen_… --wait --output cat.mp4"],
  list: ["list videos --status processing --json", "list deliveries --status exhausted"],
  cancel: ["cancel vgen_…"],
  delete: ["delete vgen_… --yes"],
  redeliver: ["redeliver whd_…"],
  upload: ["upload cat.png"],
  listen: ["listen --forward-to localhost:3000/webhooks", "listen vgen_…"],
};

const EXAMPLES_OF_ALL = ["video", "image", "models", "list", "get", "listen"].flatMap(
  (name) => EXAMPLES[name]?.slice(0, 1) ?? [],
);

function examplesText(program: string, name: string): string {
  const lines = (EXAMPLES[name] ?? []).map((line) => `  ${program} ${line}`);
  return `\n${lines.length > 1 ? "Examples" : "Example"}:\n${lines.join("\n")}`;
}
