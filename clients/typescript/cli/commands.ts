/** The commands, their options and their help. */
import { Command, Option, type OutputConfiguration } from "commander";
import { didYouMean } from "../http/nearest.ts";
import packageJson from "../package.json" with { type: "json" };
import type { CreateOptions, Kind } from "./create-request.ts";
import { IS_CHECKOUT } from "./environment.ts";
import { addList, type ListActions } from "./list-command.ts";
import { examplesText, helpText } from "./help.ts";
import { UsageError } from "./cli-errors.ts";
import { appended, choice, wholeNumber, withMetadata, withReference } from "./parsing.ts";

export type GetOptions = { wait?: boolean; out?: string };
export type ModelsOptions = { kind?: Kind };
export type ListenOptions = { forwardTo?: string; printSecret?: boolean };

/** What each command does; `--base-url` and `--json` are options of all of them. */
export type Actions = ListActions & {
  video: (prompt: string, options: CreateOptions) => Promise<void>;
  image: (prompt: string, options: CreateOptions) => Promise<void>;
  models: (id: string | undefined, options: ModelsOptions) => Promise<void>;
  balance: () => Promise<void>;
  get: (id: string, options: GetOptions) => Promise<void>;
  cancel: (id: string) => Promise<void>;
  remove: (id: string) => Promise<void>;
  redeliver: (id: string) => Promise<void>;
  upload: (file: string) => Promise<void>;
  listen: (options: ListenOptions) => Promise<void>;
};

const KINDS = ["video", "image"];
const OUTPUT =
  "the file or the folder to save to, or - for the standard output; an existing file is replaced";
const ID = "the id of a generation, file or delivery";

/** Calls the action of the command with the parsed arguments. Throws CommanderError where they are wrong. */
export function commandLine(actions: Actions, output: OutputConfiguration = {}): Command {
  const program = new Command("media-generation")
    .description("Generate videos and images from prompts, and manage them.")
    .version(packageJson.version)
    .option("--base-url <url>", "the service's URL; /v1 is added where it has no path")
    .option("--json", "print JSON, one object a line")
    .addHelpText("after", helpText(IS_CHECKOUT))
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('"media-generation --help" lists the commands.')
    .configureOutput(output)
    .exitOverride();
  addCreates(program, actions);
  program
    .command("models")
    .description("list the models with their prices, or show one")
    .argument("[id]", "the model's id")
    .addOption(
      new Option("--kind <kind>", "only those that make this")
        .choices(KINDS)
        .argParser(choice("--kind", KINDS)),
    )
    .action(actions.models);
  program.command("balance").description("show the Tokens").action(actions.balance);
  program
    .command("get")
    .description("show a generation, file or delivery; wait for a generation, save its file")
    .argument("<id>", ID)
    .option("--wait", "show the progress of a generation to its end")
    .addOption(outputOption(OUTPUT))
    .addOption(olderOutputOption())
    .action(actions.get);
  addList(program, actions);
  program
    .command("cancel")
    .description("cancel a video or image; its Tokens are restored")
    .argument("<id>", "the id of a generation")
    .action(actions.cancel);
  program
    .command("delete")
    .description("delete an ended generation with its files, or a file that nothing uses")
    .argument("<id>", "the id of a generation or file")
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
  addHelp(program);
  program.on("command:*", ([name = ""]: string[]) => refuseUnknown(program, name));
  for (const command of program.commands) {
    const help = `"media-generation ${command.name()} --help" lists its options.`;
    command.showHelpAfterError(help).addHelpText("after", examplesText(command.name()));
  }
  return program;
}

/** In place of commander's own, which takes an unknown command for none. */
function addHelp(program: Command): void {
  program
    .command("help")
    .description("show the help of a command")
    .argument("[command]", "its name")
    .action((name: string | undefined) => {
      const found = program.commands.find((command) => command.name() === name);
      if (name !== undefined && !found) refuseUnknown(program, name);
      (found ?? program).outputHelp();
    });
}

/** What does the work of commands that other programs have. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  wait: "get <id> --wait",
  watch: "get <id> --wait",
  download: "get <id> --output <file>",
  version: "--version",
};

function refuseUnknown(program: Command, name: string): never {
  const names = program.commands.map((command) => command.name());
  const instead = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
  const near = didYouMean(name, names).trim();
  const hint = instead === undefined ? near : `It is ${program.name()} ${instead}`;
  const text = `error: unknown command '${name}'${hint && `\n(${hint})`}`;
  program.error(text, { code: "commander.unknownCommand" });
}

/** Both options have one value, `out`. */
const ofOut = (option: Option): Option => Object.assign(option, { attributeName: () => "out" });

function outputOption(description: string): Option {
  return ofOut(new Option("-o, --output <path>", description));
}

/** Its name in version 1.0. */
function olderOutputOption(): Option {
  return ofOut(new Option("--out <path>").hideHelp());
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
      .addOption(outputOption(`${OUTPUT} (default: its id, in this folder)`))
      .addOption(olderOutputOption())
      .option("--idempotency-key <key>", "repeats an earlier request without a second charge")
      .allowExcessArguments()
      .action((prompt: string, options: CreateOptions, { args }: Command) => {
        if (args.length > 1) throw new UsageError(quoteText(name, args));
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
    .option("--last-image <file-or-url>", "the last frame")
    .option(
      "--reference <role=file-or-url>",
      "what it shows, such as subject=cat.png; repeat for several",
      withReference,
    )
    .option("--video <url>", "a video to extend or to edit");
  common("image")
    .description("generate an image, wait for it and save it")
    .option("--size <size>", "such as 1280x720; the model has a default")
    .option("--image <file-or-url>", "a reference image; repeat for several", appended)
    .option(
      "--n <count>",
      'how many images; this and what follows: for models that take it, by "models <id>"',
      wholeNumber,
    )
    .option("--mask <file-or-url>", "where the reference image is to be changed")
    .option("--background <kind>", "opaque or transparent")
    .option("--output-format <format>", "png, jpeg or webp")
    .option("--no-prompt-extend", "make the prompt's words no richer");
}

/** Words of a prompt that has no quotation marks. */
function quoteText(name: Kind, words: readonly string[]): string {
  return `There are ${words.length} arguments. Quote the prompt: media-generation ${name} "${words.join(" ")}" …`;
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
