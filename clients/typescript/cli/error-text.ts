/** Says an error in the words of the command line: its options instead of the fields of the API. */
import { CommanderError, type Command } from "commander";
import { ApiError, ArgumentError, ConnectionError, type Fault } from "../index.ts";
import { IS_CHECKOUT } from "./environment.ts";
import { isFailedGeneration } from "./exit-code.ts";

/** Fields of the API that the name of their option does not follow from. */
const OPTION_OF_FIELD = {
  image_url: "--image",
  image_urls: "--image",
  last_image_url: "--last-image",
  mask_url: "--mask",
  reference_images: "--reference",
  video_url: "--video",
  generation_id: "--generation",
  prompt_extend: "--no-prompt-extend",
  "Idempotency-Key": "--idempotency-key",
};

const UNREACHABLE = IS_CHECKOUT
  ? "If you run the service yourself: npm start starts it."
  : "Another service is chosen by MEDIA_BASE_URL or --base-url.";

/** What went wrong and what to do; undefined where commander has already printed it. */
export function errorText(error: unknown, program: Command): string | undefined {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof ConnectionError) {
    const text = inOptions(error.message);
    return text.includes("cannot be reached") ? `${text}\n${UNREACHABLE}` : text;
  }
  if (error instanceof ArgumentError) return inOptions(error.message);
  if (!(error instanceof ApiError)) return (error as Error).message;
  return [...messagesOf(error, program), referenceOf(error)].join("\n");
}

function messagesOf(error: ApiError, program: Command): string[] {
  if (isFailedGeneration(error))
    return [`failed (${error.code}): ${error.message}`, "Nothing is charged."];
  const options = optionsByField(program);
  const faults = error.errors.length > 0 ? error.errors : [error];
  return faults.map((fault) => faultText(fault, options));
}

/** What to name to others, and where to read about it. */
function referenceOf({ code, requestId, docUrl }: ApiError): string {
  const request = requestId === undefined ? [] : [`request ${requestId}`];
  return [`Code ${code}`, ...request, ...(docUrl === undefined ? [] : [docUrl])].join(", ");
}

/**
 * The error for `--json`, as the API has it; `text` is the message of one that is not the API's. `generationId` is the
 * generation that the command had made, or was about.
 */
export function errorJson(
  error: unknown,
  code: string,
  text: string,
  generationId: string | undefined,
): string {
  const ofGeneration = generationId === undefined ? {} : { generation_id: generationId };
  if (!(error instanceof ApiError) || code !== error.code) {
    const details = generationId === undefined ? {} : { details: ofGeneration };
    return JSON.stringify({ error: { code, message: inOneLine(text), ...details } });
  }
  const { type, message, param, docUrl, requestId, errors } = error;
  const problem = { type, code, message, param, doc_url: docUrl, request_id: requestId };
  const details = { ...ofGeneration, ...error.details };
  const several = errors.length > 0 ? { errors } : {};
  return JSON.stringify({ error: { ...problem, details, ...several } });
}

/** What commander says, which it prints itself where nobody asked for JSON. */
export function usageText({ code, message }: CommanderError): string {
  return code === "commander.help" ? "No command is given." : message.replace(/^error: /, "");
}

function inOneLine(text: string): string {
  return text.replaceAll(/(\w)\n(?=[A-Z])/g, "$1. ").replaceAll(/\s*\n\s*/g, " ");
}

/** The option of a field of the API. */
export function optionOf(field: string): string {
  const named = (OPTION_OF_FIELD as Record<string, string>)[field];
  return named ?? `--${field.replaceAll("_", "-")}`;
}

type Options = ReadonlyMap<string, string>;

/** The option of each field that one of the commands has. */
function optionsByField(program: Command): Options {
  const flags = program.commands.flatMap(({ options }) => options.map(({ long }) => long ?? ""));
  return new Map([
    ...flags.map((flag): [string, string] => [flag.slice(2).replaceAll("-", "_"), flag]),
    ...Object.entries(OPTION_OF_FIELD),
  ]);
}

/** How the service says that a file of the caller's does, which the options send by themselves. */
const OWN_FILE = /\bor (?:the url|urls) that POST \/v1\/files answers\b/;

function faultText(
  { param, message }: Pick<Fault, "message"> & { param?: string | undefined },
  options: Options,
): string {
  const text = inOptions(withOptions(message, options)).replace(
    OWN_FILE,
    "or a file, as --image cat.png",
  );
  if (param === undefined) return text;
  const [field = "", ...rest] = param.split(".");
  const named = withOptions(field, options);
  const subject = options.get(named) ?? named;
  const place = [subject, ...rest].join(" ");
  const own = text.startsWith(`${param} `) || text.startsWith(`${param}:`);
  if (own) return `${place}${text.slice(param.length)}`;
  return text.includes(subject) ? text : `${place}: ${text}`;
}

/** Names of several words only: a single one may be a word of the sentence. What follows "one of" are values. */
function withOptions(text: string, options: Options): string {
  const [, head = "", values = ""] = /^(.*?)( one of .*)?$/s.exec(text) ?? [];
  const numbered = head.replaceAll(
    /\b([a-z]+(?:_[a-z]+)+)\[(\d+)\]/g,
    (name: string, field: string, index: string) => {
      const option = options.get(field);
      return option === undefined ? name : `${option} (no. ${Number(index) + 1})`;
    },
  );
  const named = numbered.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => options.get(name) ?? name);
  return `${named}${values}`;
}

/** The message of the client with the options of the command line. */
function inOptions(text: string): string {
  const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return text
    .replace(/^The option (\w+) of [\w.]+/, (_match, name: string) => `--${kebab(name)}`)
    .replaceAll(/\bbaseUrl\b/g, "--base-url");
}
