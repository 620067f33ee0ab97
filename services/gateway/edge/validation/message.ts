/** Fault messages for client developers: what is wrong and what to send instead. */
import type { ErrorObject } from "ajv/dist/2020.js";
import ucs2 from "ajv/dist/runtime/ucs2length.js";
import { checkUrl, type AllowAddress } from "#runtime/address.ts";
import { isId } from "#runtime/id.ts";
import { meantName } from "#runtime/did-you-mean.ts";
import { meantValue, sameNames } from "#vocabulary/meant-value.ts";

export type RequestPart = "header" | "query" | "body";

type Schema = Record<string, unknown>;

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** Of the fields of an operation, those that the model of the request does not take, and how to say it of one. */
export type Untaken = { names: ReadonlySet<string>; says: (name: string) => string };

/** The message of an ajv error; `param` is empty for the whole body. */
export function messageOf(
  error: ErrorObject,
  param: string,
  part: RequestPart,
  allow: AllowAddress,
  untaken?: Untaken,
): string {
  const { params, data } = error;
  const subject = subjectOf(error, param);
  const inPlaceOfUrl = fileMessage(error);
  if (inPlaceOfUrl !== undefined) return `${subject} ${inPlaceOfUrl}`;
  switch (error.keyword) {
    case "required": {
      const missing = String(params["missingProperty"]);
      return `${subject} is required.${sentInstead(missing, data, namesIn(error)) || " Add it."}`;
    }
    case "additionalProperties":
      return unknownName(error, param, part === "query" ? "query parameter" : "field", untaken);
    case "type": {
      if (part === "query" && Array.isArray(data)) return `Send ${subject} once.`;
      if (param === "" && typeof data === "string" && /^\s*\{/.test(data)) return SERIALISED_TWICE;
      const types = typeNames(error.parentSchema).map((type) => TYPES[type] ?? type);
      return `${subject} must be ${types.join(" or ")}.${sizeInstead(error) || quotationOf(error)}`;
    }
    case "minLength":
    case "minItems":
    case "minProperties":
      return `${subject} must have at least ${counted(error)}.`;
    case "maxLength":
      return `${subject} must have at most ${counted(error)}; it has ${ucs2.default(String(data))}.`;
    case "maxItems":
    case "maxProperties":
      return `${subject} must have at most ${counted(error)}.`;
    case "minimum":
    case "maximum":
      return `${subject} must be ${rangeOf(error)}.`;
    case "enum":
      return `${subject} must be ${oneOf(data, error.schema as (string | null)[])}`;
    case "format":
      return isUrlFormat(params["format"])
        ? `${subject}: the URL ${urlProblem(error, allow)}.`
        : `${subject} ${formProblem(String(params["format"]), String(data))}.`;
    default:
      return `${subject} ${formMessage(error, param)}`;
  }
}

/** How a PNG, JPEG and WebP begin in base64, and in any form as a data URL. */
const INLINE_PICTURE = /^(?:data:|iVBORw0K|\/9j\/|UklGR)/i;

/** Names what MCP's tools have not. */
export const CLIENTS_SEND_FILES = " Our clients do that for { path } and pathlib.Path.";

const OWN_FILE = "Send a file of your own by POST /v1/files, and its url here";

/** For a field that takes the URLs of files: a picture, the id or the path of a file in place of one. */
function fileMessage({ keyword, parentSchema, data }: ErrorObject): string | undefined {
  const takesFiles = (parentSchema as Schema | undefined)?.["x-own-files"] === true;
  if (!takesFiles || typeof data !== "string") return undefined;
  if (isId("file", data))
    return `must be the url of the file, not its id. GET /v1/files/${data} has the url.`;
  if (INLINE_PICTURE.test(data))
    return "must not hold the picture itself. Send the picture by POST /v1/files, and its url here.";
  return keyword !== "format" || /^https?:/i.test(data)
    ? undefined
    : `must be a complete URL such as https://example.com/cat.png. ${OWN_FILE}.${CLIENTS_SEND_FILES}`;
}

const SERIALISED_TWICE =
  "The body must be an object, and is a text that holds one: it was serialised twice.";

/** What the fault is about: the body, a value, or the name under which a value was sent. */
function subjectOf({ propertyName }: ErrorObject, param: string): string {
  if (param === "") return "The body";
  return propertyName === undefined ? param : `The name of ${param}`;
}

function formProblem(format: string, data: string): string {
  if (format === "date") return "must be a day such as 2026-11-17";
  if (format !== "date-time") return "does not have the right form";
  const isDay = /^\d{4}-\d\d-\d\d$/.test(data) && !Number.isNaN(Date.parse(data));
  const day = isDay ? data : "2026-11-17";
  // A plus sign in a URL is a space.
  const plus = / \d\d:?\d\d$/.test(data) && data.includes("T") ? ", with + written as %2B" : "";
  return `must be an RFC 3339 time, such as ${day}T00:00:00Z${plus}`;
}

/** Both ends where the schema has both, so that a value is corrected once. */
function rangeOf({ parentSchema }: ErrorObject): string {
  const { minimum, maximum } = (parentSchema ?? {}) as { minimum?: number; maximum?: number };
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  return minimum === undefined ? `at most ${maximum}` : `at least ${minimum}`;
}

/** The limit with its unit, and the fields that an object of few may have. */
function counted(error: ErrorObject): string {
  const limit = Number(error.params["limit"]);
  const [one, more] = error.keyword.endsWith("Length")
    ? ["character", "characters"]
    : ["entry", "entries"];
  const names = namesIn(error);
  const of = names.length === 0 ? "" : ` of ${names.join(", ")}`;
  return `${limit} ${limit === 1 ? one : more}${of}`;
}

function namesIn({ parentSchema }: ErrorObject): string[] {
  return Object.keys((parentSchema?.["properties"] as Schema | undefined) ?? {});
}

/** Null means absent, so that it is no value to choose. */
function oneOf(data: unknown, allowed: readonly (string | null)[]): string {
  const values = allowed.filter((value) => value !== null);
  if (values.length === 1) return `${values[0]}: this service has no such choice. Leave it out.`;
  return `one of ${values.join(", ")}.${meantValue(data, values)}`;
}

function typeNames(schema: Schema | undefined): string[] {
  const names = [schema?.["type"]].flat().map(String);
  return names.filter((type) => type !== "null");
}

/** A number may have its unit behind it: "5s". */
const AS_TEXT: Readonly<Record<string, RegExp>> = {
  integer: /^(-?\d{1,15}) ?[a-z]{0,7}$/i,
  boolean: /^(true|false)$/i,
};

/** For a size as fal has it. */
function sizeInstead({ data, parentSchema }: ErrorObject): string {
  const { width, height } = (data ?? {}) as { width?: unknown; height?: unknown };
  const isSide = (side: unknown): side is number => Number.isInteger(side) && Number(side) > 0;
  const isSize = parentSchema?.["x-model-property"] === "sizes" && isSide(width) && isSide(height);
  return isSize ? ` Send "${width}x${height}".` : "";
}

/** For a number or boolean that was sent as a text, the other way round, and one text for a list; else the range. */
function quotationOf(error: ErrorObject): string {
  const { data, parentSchema = {} } = error;
  const [type = ""] = typeNames(parentSchema);
  const items = parentSchema["items"] as Schema | undefined;
  if (items?.["type"] === "string" && typeof data === "string") return ` Send it as ["…"].`;
  if (type === "string" && typeof data === "number") return ` Send "${data}" in quotation marks.`;
  const [, value] = (typeof data === "string" && AS_TEXT[type]?.exec(data)) || [];
  if (value !== undefined) return ` Send ${value.toLowerCase()} without quotation marks.`;
  return "maximum" in parentSchema ? ` Send one ${rangeOf(error)}.` : "";
}

/** The end of the message of a value that is no whole number. */
export const WHOLE_RANGE = /Send one from \d+ to \d+\.$/;

export function isUrlFormat(format: unknown): boolean {
  return format === "public-https-url" || format === "picture-url";
}

/** For whoever develops a receiver, which no service on the internet reaches. */
const OWN_MACHINE =
  "For events on your own machine run media-generation listen: see /docs/guides/webhook-receivers#on-your-machine";

function urlProblem({ data, parentSchema }: ErrorObject, allow: AllowAddress) {
  const url = String(data);
  if (url.startsWith("data:")) return "must hold a PNG, JPEG or WebP in base64";
  const check = checkUrl(url, allow);
  if (check.ok) return "is not allowed";
  const meant = url.includes("://") ? check : checkUrl(`https://${url}`, allow);
  if (meant.ok || !meant.isPrivate) return check.reason;
  if (parentSchema?.["x-has-listen"] === true) return `${check.reason}. ${OWN_MACHINE}`;
  const takesFiles = parentSchema?.["x-own-files"] === true;
  return takesFiles ? `${check.reason}, one that the internet reaches. ${OWN_FILE}` : check.reason;
}

function formMessage({ parentSchema, data, propertyName }: ErrorObject, param: string): string {
  const text = propertyName ?? data;
  if (typeof text === "string" && (text.includes("\0") || !text.isWellFormed())) {
    return "must be well-formed Unicode without NUL characters.";
  }
  if (typeof text === "string" && text !== "" && text.trim() === "")
    return "must not consist of spaces only.";
  type Told = { examples?: unknown[]; [extension: `x-${string}`]: string };
  const { examples = [], "x-form": form, "x-model-property": property }: Told = parentSchema ?? {};
  if (form !== undefined) return `must be ${form}.`;
  if (examples.length === 0) return "has a value that is not allowed. Correct it.";
  const values = property === "parameters" ? `parameters.${param}.values` : property;
  const more = values && ` GET /v1/models says which values each model takes, as ${values}.`;
  return `does not have the right form. An example: ${JSON.stringify(examples[0])}.${more ?? ""}`;
}

/** Names of other APIs for a place in a list, where this one has `after`. */
const PAGE_NAMES = new Set(["cursor", "offset", "page", "page_token", "starting_after"]);

/** More are not compared with the names that are missing. */
const MAX_COMPARED = 20;

function unknownName(error: ErrorObject, shown: string, noun: string, untaken?: Untaken): string {
  const name = String(error.params["additionalProperty"]);
  const value = (error.data as Record<string, unknown>)[name];
  const all = namesIn(error);
  const known = all.filter((one) => !untaken?.names.has(one));
  const unknown = `Unknown ${noun}: ${shown}.`;
  const instead = (error.parentSchema?.["x-instead-of"] ?? {}) as Record<string, string>;
  // A form names the fields of an object so: metadata[order].
  const field = name.split("[", 1)[0] ?? "";
  if (Object.hasOwn(instead, field)) return `${unknown} ${instead[field]}`;
  const inBody = sameNames(snakeCase(name), (error.parentSchema?.["x-body"] ?? []) as string[]);
  if (inBody[0] !== undefined) return `${unknown} Send it as ${inBody.join(" or ")} in the body.`;
  if (known.length === 0) return `${unknown} Remove it: this request takes none.`;
  if (PAGE_NAMES.has(name) && known.includes("after")) {
    return `${unknown} For the next page send after, the id of the last object of this one. ${listed(known)}`;
  }
  const meant = meantNames(name, all);
  const [first, ...more] = meant.filter((one) => known.includes(one));
  if (first !== undefined) {
    const names = [first, ...more].map((one) => `"${one}"`).join(" or ");
    const day = ["from", "to"].includes(first) ? ", a day such as 2026-11-17" : "";
    const form = first === "duration" ? ", in seconds" : day;
    return `${unknown} Did you mean ${names}${form}? Remove it or correct its name.`;
  }
  if (untaken && meant[0] !== undefined) return `${unknown} Remove it: ${untaken.says(meant[0])}`;
  if (shown === name && known.some((one) => holds(value, one))) {
    return `${unknown} Send the fields that are in it at the top level.`;
  }
  return `${unknown} ${listed(known)}`;
}

/** What a required name was sent as: a sentence with a space before it, or empty where nothing unknown is like it. */
function sentInstead(missing: string, data: unknown, known: readonly string[]): string {
  const unknown = Object.entries(data as object)
    .filter(([name]) => !known.includes(name))
    .slice(0, MAX_COMPARED);
  for (const [name, value] of unknown) {
    const shown = `"${name.toWellFormed()}"`;
    if (meantNames(name, known).includes(missing)) return ` You sent ${shown}: correct its name.`;
    if (holds(value, missing)) return ` You sent it within ${shown}: take it out of there.`;
  }
  return "";
}

/** A near name only where no API calls it so. */
function meantNames(name: string, known: readonly string[]): string[] {
  const same = sameNames(snakeCase(name), known);
  return same.length > 0 ? same : [meantName(name, known) ?? []].flat();
}

/** Whether the value is an object around the field, such as the `input` of other APIs. */
export function holds(value: unknown, field: string): value is Schema {
  return typeof value === "object" && value !== null && Object.hasOwn(value, field);
}

function listed(known: readonly string[]): string {
  return `${LIST_BEGIN}${known.join(", ")}.`;
}

const LIST_BEGIN = "Remove it, or use one of ";

/** The faults, each list of names only in the first that has it. */
export function listedOnce<F extends { message: string }>(faults: readonly F[]): F[] {
  const said = new Set<string>();
  return faults.map((fault) => {
    const at = fault.message.lastIndexOf(LIST_BEGIN);
    const list = fault.message.slice(at);
    if (at < 0 || !said.has(list)) {
      said.add(list);
      return fault;
    }
    return { ...fault, message: `${fault.message.slice(0, at)}Remove it.` };
  });
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
