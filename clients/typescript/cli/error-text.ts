/** Says an error in the words of the command line: its options instead of the fields of the API. */
import { CommanderError } from "commander";
import { ApiError, ArgumentError, ConnectionError, type Fault } from "../index.ts";
import { IS_CHECKOUT } from "./environment.ts";
import { isFailedGeneration } from "./exit-code.ts";

/** Fields of the API that the name of their option does not follow from. */
const OPTION_OF_FIELD = {
  image_url: "--image",
  image_urls: "--image",
  last_image_url: "--last-image",
  generation_id: "--generation",
  prompt_extend: "--no-prompt-extend",
  "Idempotency-Key": "--idempotency-key",
};

const UNREACHABLE = IS_CHECKOUT
  ? "If you run the service yourself: npm start starts it."
  : "Another service is chosen by MEDIA_BASE_URL or --base-url.";

/** What went wrong and what to do; undefined where commander has already printed it. */
export function errorText(error: unknown): string | undefined {
  if (error instanceof CommanderError) return undefined;
  if (error instanceof ConnectionError) {
    const text = inOptions(error.message);
    return text.includes("cannot be reached") ? `${text}\n${UNREACHABLE}` : text;
  }
  if (error instanceof ArgumentError) return inOptions(error.message);
  if (!(error instanceof ApiError)) return (error as Error).message;
  return [...messagesOf(error), referenceOf(error)].join("\n");
}

function messagesOf(error: ApiError): string[] {
  if (isFailedGeneration(error))
    return [`failed (${error.code}): ${error.message}`, "Nothing is charged."];
  return (error.errors.length > 0 ? error.errors : [error]).map(faultText);
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

/** What is no option: arguments. */
const ARGUMENTS = new Set(["prompt", "file", "id"]);

/** The field's option begins the sentence, which has the fields as the API has them. */
function faultText({
  param,
  message,
}: Pick<Fault, "message"> & { param?: string | undefined }): string {
  if (param === undefined) return inOptions(message);
  const [, field = "", index, rest = ""] = /^([\w-]+)(?:\[(\d+)\])?\.?(.*)$/.exec(param) ?? [];
  const number = index === undefined ? "" : ` (no. ${Number(index) + 1})`;
  const subject = `${ARGUMENTS.has(field) ? field : optionOf(field)}${number}${rest && ` ${rest}`}`;
  const text = message.startsWith(`${param} `) ? message.slice(param.length) : `: ${message}`;
  return `${subject}${text}`;
}

/** The message of the client with the options of the command line. */
function inOptions(text: string): string {
  return text.replaceAll(/\bbaseUrl\b/g, "--base-url");
}
