/** The commands, their options and their help. */
import { Argument, Command, Option, type OutputConfiguration } from "commander";
import packageJson from "../package.json" with { type: "json" };
import type { CreateOptions, Kind } from "./create-request.ts";
import { examplesText, helpText } from "./help.ts";
import type { ListedKind, ListOptions } from "./list.ts";
import { UsageError } from "./cli-errors.ts";
import { appended, atLeastOne, timeOf, wholeNumber, withMetadata } from "./parsing.ts";

export type GetOptions = { wait?: boolean; output?: string };
export type ModelsOptions = { kind?: Kind };
export type ListenOptions = { forwardTo?: string; printSecret?: boolean };

/** What each command does; `--base-url` and `--json` are options of all of them. */
export type Actions = {
  video: (prompt: string, options: CreateOptions) => Promise<void>;
  image: (prompt: string, options: CreateOptions) => Promise<void>;
  models: (id: string | undefined, options: ModelsOptions) => Promise<void>;
  balance: () => Promise<void>;
  get: (id: string, options: GetOptions) => Promise<void>;
  list: (kind: ListedKind | undefined, options: ListOptions) => Promise<void>;
  cancel: (id: string) => Promise<void>;
  remove: (id: string, options: { yes?: boolean }) => Promise<void>;
  redeliver: (id: string) => Promise<void>;
  upload: (file: string) => Promise<void>;
  listen: (options: ListenOptions) => Promise<void>;
};

const KINDS = ["video", "image"];
const DEFAULT_LENGTH = 20;
const OUTPUT =
  "the file or the folder to save to, or - for the standard output; an existing file is replaced";
const ID = "the id of a generation, file or delivery";

/**
 * Calls the action of the command with the parsed arguments. Throws CommanderError where they are wrong. `name` is what the
 * user types for the command line.
 */
export function commandLine(
  actions: Actions,
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
  addCreates(program, actions);
  program
    .command("models")
    .description("list the models with their prices, or show one")
    .argument("[id]", "the model's id")
    .addOption(new Option("--kind <kind>", "only those that make this").choices(KINDS))
    .action(actions.models);
  program.command("balance").description("show the Tokens").action(actions.balance);
  program
    .command("get")
    .description("show a generation, file or delivery; wait for a generation, save its file")
    .argument("<id>", ID)
    .option("--wait", "show the progress of a generation to its end")
    .option("-o, --output <path>", OUTPUT)
    .action(actions.get);
  program
    .command("list")
    .description("list generations, newest first: id, creation, status, model, prompt's beginning")
    .addArgument(
      new Argument("[kind]", "what to list; without it, videos").choices(["videos", "images"]),
    )
    .option("--limit <n>", "how many at most", atLeastOne, DEFAULT_LENGTH)
    .option("--status <status>", "only those, such as processing or failed")
    .option("-m, --model <id>", "only those of this model")
    .option("--end-user <id>", "only those for this user of yours")
    .option("--created-after <time>", "only those: 2026-11-01T12:00:00Z or a day, UTC", timeOf)
    .option("--created-before <time>", "only those; a day is its beginning", timeOf)
    .option("--after <id>", "go on after this one, the last of an earlier list")
    .action(actions.list);
  program
    .command("cancel")
    .description("cancel a video or image; its Tokens are restored")
    .argument("<id>", "the id of a generation")
    .action(actions.cancel);
  program
    .command("delete")
    .description("delete an ended generation with its files, or a file that nothing uses")
    .argument("<id>", "the id of a generation or file")
    .option("-y, --yes", "do not ask")
    .action(actions.remove);
  program
    .command("redeliver")
    .description("send a webhook again, now")
    .argument("<id>", "the id of a delivery")
    .action(actions.redeliver);
  program
    .command("upload")
    .description("send a picture, and print its URL")
    .argument("<file>", "a PNG, JPEG or WebP of at most 20 MB; - reads it from the standard input")
    .action(actions.upload);
  addListen(program, actions);
  for (const command of program.commands) {
    const help = `"${name} ${command.name()} --help" lists its options.`;
    command.showHelpAfterError(help).addHelpText("after", examplesText(name, command.name()));
  }
  return program;
}

function addCreates(program: Command, actions: Actions): void {
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
          throw new UsageError(
            `There are ${args.length} arguments. Quote the prompt: ${program.name()} ${name} "${args.join(" ")}" …`,
          );
        return actions[name](prompt, options);
      });
  common("video")
    .description("generate a video, wait for it and save it")
    .option("--duration <seconds>", "the model has a default and its limits", wholeNumber)
    .option("--aspect-ratio <ratio>", 'such as 16:9; "models <id>" lists those of a model')
    .option(
      "--resolution <name>",
      'this and what follows: for models that take it, by "models <id>"',
    )
    .option("--audio", "with sound")
    .option("--no-audio", "without sound")
    .option("--image <file-or-url>", "the first frame or reference image", appended)
    .option("--last-image <file-or-url>", "the last frame");
  common("image")
    .description("generate an image, wait for it and save it")
    .option("--size <size>", "such as 1280x720; the model has a default")
    .option("--image <file-or-url>", "a reference image; repeat for several", appended)
    .option(
      "--n <count>",
      'how many images; this and what follows: for models that take it, by "models <id>"',
      wholeNumber,
    )
    .option("--background <kind>", "opaque or transparent")
    .option("--output-format <format>", "png, jpeg or webp")
    .option("--no-prompt-extend", "make the prompt's words no richer");
}

function addListen(program: Command, actions: Actions): void {
  program
    .command("listen")
    .description("send the webhooks of the account's generations to an address of your own, signed")
    .option(
      "--forward-to <url>",
      "such as localhost:3000/webhooks, or a port; without it they are only shown",
    )
    .option("--print-secret", "print the signing secret only")
    .addHelpText(
      "after",
      `
Each second it asks the service which videos and images have ended since it began, of all keys in the mode of yours, and
makes their video.generation.* and image.generation.* events here: the service itself calls no address for it, and a webhook_url is not needed. The bodies are
those that the service sends. The signature is by a secret of this command, which is the same for the same API key; ids of
events are its own too. An event is sent once, whatever the answer. Not among them: balance.low, limit.reached and
webhook.test.`,
    )
    .action(actions.listen);
}
