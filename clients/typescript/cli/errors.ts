/** The errors of the command line: their exit code, their code for programs, and their words, which have options in place of fields. */
import { CommanderError } from "commander";
import { problemOf } from "../http/api-error.ts";
import { ApiError, ArgumentError, ConnectionError, TimeoutError } from "../index.ts";
import { IS_CHECKOUT } from "./environment.ts";

/** The generation succeeded, but its file could not be downloaded or written. */
export class SaveError extends Error {
  override readonly name = "SaveError";
}

export const EXIT = { done: 0, failed: 1, refused: 2, unreachable: 3, stopped: 130 } as const;

/** The code of an error, the API's or one of the command line's own, and the exit code; without one it is unexpected. */
export function kindOf(error: unknown): { code: string; exit?: number } {
  if (error instanceof ApiError) {
    const { code, status } = error;
    if (isFailedGeneration(error)) return { code, exit: EXIT.failed };
    return { code, exit: status < 500 ? EXIT.refused : EXIT.unreachable };
  }
  if (error instanceof TimeoutError) return { code: "timeout", exit: EXIT.unreachable };
  if (error instanceof ConnectionError) return { code: "connection_error", exit: EXIT.unreachable };
  if (error instanceof SaveError) return { code: "save_error", exit: EXIT.unreachable };
  const isUsage = error instanceof CommanderError || error instanceof ArgumentError;
  return isUsage ? { code: "usage_error", exit: EXIT.refused } : { code: "unexpected_error" };
}

/** It will stay failed; one that timed out may still end. */
function isFailedGeneration({ type, code }: ApiError): boolean {
  return type === "generation_error" && code !== "generation_timeout";
}

/** Fields of the API that the name of their option does not follow from. */
const OPTION_OF_FIELD: Readonly<Record<string, string>> = {
  image_url: "--image",
  image_urls: "--image",
  last_image_url: "--last-image",
  prompt_extend: "--no-prompt-extend",
  "Idempotency-Key": "--idempotency-key",
};

const UNREACHABLE = IS_CHECKOUT
  ? "If you run the service yourself: npm start starts it."
  : "Another service is chosen by MEDIA_BASE_URL or --base-url.";

/** What went wrong and what to do; undefined where commander has already printed it. */
export function errorText(error: unknown): string | undefined {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof ApiError) return apiErrorText(error);
  const text = inOptions((error as Error).message);
  if (!(error instanceof ConnectionError)) return text;
  return /cannot be reached|no answer/.test(text) ? `${text}\n${UNREACHABLE}` : text;
}

/** All faults, and then what to name to others, and where to read about it. */
function apiErrorText(error: ApiError): string {
  const { code, message, errors, requestId, docUrl } = error;
  const lines = isFailedGeneration(error)
    ? [`failed (${code}): ${message}`, "Nothing is charged."]
    : (errors.length > 0 ? errors : [error]).map(faultText);
  const reference = [`Code ${code}`, requestId && `request ${requestId}`, docUrl];
  return [...lines, reference.filter(Boolean).join(", ")].join("\n");
}

/**
 * The error for `--json`, as the API has it; `text` is the message of one that is not the API's, and is put in one line.
 * `generationId` is the generation that the command had made, or was about.
 */
export function errorJson(
  error: unknown,
  code: string,
  text: string,
  generationId: string | undefined,
): string {
  const own = generationId === undefined ? undefined : { generation_id: generationId };
  if (!(error instanceof ApiError) || code !== error.code) {
    const said = error instanceof CommanderError ? usageText(error) : text;
    const message = said.replaceAll(/(\w)\n(?=[A-Z])/g, "$1. ").replaceAll(/\s*\n\s*/g, " ");
    return JSON.stringify({ error: { code, message, details: own } });
  }
  const { type, message, requestId: request_id, body } = error;
  const details = { ...own, ...error.details };
  // What the answer says replaces the type of its status and the id of its header; what the client completed replaces that.
  const problem = { type, request_id, ...problemOf(body), code, message, details };
  return JSON.stringify({ error: problem });
}

/** What commander says, which it prints itself where nobody asked for JSON. */
function usageText({ code, message }: CommanderError): string {
  return code === "commander.help" ? "No command is given." : message.replace(/^error: /, "");
}

/** The option of a field of the API. */
export function optionOf(field: string): string {
  return OPTION_OF_FIELD[field] ?? `--${field.replaceAll("_", "-")}`;
}

/** What is no option: arguments. */
const ARGUMENTS = new Set(["prompt", "file", "id"]);

/** The field's option begins the sentence, which has the fields as the API has them. */
function faultText({ param, message }: { message: string; param?: string | undefined }): string {
  if (param === undefined) return inOptions(message);
  const [, field = "", index, rest = ""] = /^([\w-]+)(?:\[(\d+)\])?\.?(.*)$/.exec(param) ?? [];
  const number = index === undefined ? "" : ` (no. ${Number(index) + 1})`;
  const subject = `${ARGUMENTS.has(field) ? field : optionOf(field)}${number}${rest && ` ${rest}`}`;
  const isNamed = message.startsWith(`${param} `) || message.startsWith(`${param}: `);
  return inOptions(`${subject}${isNamed ? message.slice(param.length) : `: ${message}`}`);
}

/** The message of the client or the service with what the command line has for an option of the one, a path of the other. */
function inOptions(text: string): string {
  return text
    .replaceAll(/\bidempotencyKey\b/g, "--idempotency-key")
    .replace(/: [^:]*POST \/v1\/files returns/, ": a file or a URL")
    .replaceAll(/\b(?:last_)?image_urls?\b/g, optionOf)
    .replaceAll(/\bbaseUrl\b/g, "--base-url or MEDIA_BASE_URL")
    .replace(/Unknown query parameter: .*/, "this list has no such filter.")
    .replace("an RFC 3339 time, such", "a day or an RFC 3339 time, such")
    .replace("one of pending, delivered", "one of pending (failing ones too), delivered")
    .replace("GET /v1/models lists", "media-generation models lists")
    .replace(OTHER_ROUTE, "of this command. Give it to media-generation $1");
}

const OTHER_ROUTE = /of this route\. Send it to POST \/v1\/(video|image)s\/generations/;
