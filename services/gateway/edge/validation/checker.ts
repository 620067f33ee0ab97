/** Checks parts of requests by the document's schemas, and tells their faults: code, parameter and message. */
import formats from "ajv-formats";
import type { FormatDefinition, SchemaValidateFunction, ValidateFunction } from "ajv";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { components as dashboardComponents } from "#gen/openapi/dashboard.ts";
import type { components } from "#gen/openapi/media.ts";
import { checkUrl, type AllowAddress } from "#runtime/address.ts";
import { assetKeyOf, isBelowAssets } from "#vocabulary/public-values.ts";
import { holds, isUrlFormat, messageOf, type RequestPart, type Untaken } from "./message.ts";

/** The public codes and those that only the dashboard's document has. */
export type ErrorCode =
  | components["schemas"]["ErrorCode"]
  | dashboardComponents["schemas"]["DashboardErrorCode"];

export type ErrorType = components["schemas"]["ErrorType"];

/** One thing wrong with a request. `param` is absent when the body as a whole is at fault. */
export type Fault = {
  code: ErrorCode;
  message: string;
  param?: string;
  /** Of an unknown field: the message again, without fields that the model does not take. */
  messageWithout?: (untaken: Untaken) => string;
};

export type ObjectSchema = { properties?: Record<string, unknown> };

/** The faults in the document's order. Sets the document's case and defaults. */
export type Checker = (data: unknown) => Fault[];

export type CheckerFor = (part: RequestPart, schema: ObjectSchema) => Checker;

/** Below it are the files that this service stores, which it does not fetch from the internet. */
export type AssetBaseUrl = () => string;

/** More digits of a second than anybody has. */
const MAX_TIME_CHARACTERS = 64;

/** What the picture is, its bytes say. */
const PICTURE_DATA_URL = /^data:image\/[\w.+-]+(?:;[\w.+-]+=[\w.+"-]*)*;base64,/i;
const MAX_DATA_URL_HEAD = 200;
const MAX_URL_CHARACTERS = 2_048;

/** Schemas are compiled at their first request: all of them take a third of a second, and megabytes. */
export function createCheckers(
  allow: AllowAddress,
  assetBaseUrl: AssetBaseUrl,
  describe: (code: ErrorCode) => string,
): CheckerFor {
  const ajv = createAjv(allow, assetBaseUrl);
  const isOfFiles = ({ keyword, parentSchema }: ErrorObject) =>
    keyword === "format" && parentSchema?.["x-own-files"] === true;
  /** Whether it is the URL of a stored file in a field that takes those, whatever the service's address is. */
  const isOwnFile = (error: ErrorObject) =>
    isOfFiles(error) && assetKeyOf(String(error.data), assetBaseUrl()) !== undefined;
  const faultOf = (error: ErrorObject, param: string, part: RequestPart): Fault => {
    // A URL that is below those of stored files and has not the form of one.
    const isAbsent = isOfFiles(error) && isBelowAssets(String(error.data), assetBaseUrl());
    const described = error.parentSchema?.["x-error-code"] as ErrorCode | undefined;
    const documentCode = isAbsent ? "file_not_found" : described;
    const code = documentCode ?? codeOf(error);
    const said = (untaken?: Untaken) => messageOf(error, param, part, allow, untaken);
    const message = documentCode === undefined ? said() : describe(code);
    const again = code === "unknown_field" ? { messageWithout: said } : {};
    return { code, message, ...(param === "" ? {} : { param }), ...again };
  };
  return (part, schema) => {
    const names = Object.keys(schema.properties ?? {});
    let validate: ValidateFunction | undefined;
    return (data) => {
      validate ??= ajv.compile(schema);
      if (validate(data)) return [];
      const errors = (validate.errors ?? []).filter((error) => !isOwnFile(error));
      return chosenOf(errors.slice(0, MAX_ERRORS), names, data).map(([param, error]) =>
        faultOf(error, param, part),
      );
    };
  };
}

/** An ajv that sets defaults, and changes the case of values to the document's. */
function createAjv(allow: AllowAddress, assetBaseUrl: AssetBaseUrl): Ajv2020 {
  const ajv = new Ajv2020({
    useDefaults: true,
    allErrors: true,
    verbose: true,
    messages: false,
    strict: false,
    // The documents are linted when they change; to check them again takes a tenth of a second of a start.
    validateSchema: false,
  });
  formats.default(ajv);
  // The library splits a text at all of its spaces before it looks at what is between them.
  const { validate, ...time } = ajv.formats["date-time"] as FormatDefinition<string>;
  const isTime = validate as (text: string) => boolean;
  ajv.addFormat("date-time", {
    ...time,
    validate: (text: string) => text.length <= MAX_TIME_CHARACTERS && isTime(text),
  });
  ajv.addFormat("int64", true);
  // In place of the library's own, which compares the case.
  ajv.removeKeyword("enum");
  const anyCase: SchemaValidateFunction = (values: unknown[], data, _schema, place) => {
    const found = values.find((value) => lower(value) === lower(data));
    if (place && found !== undefined) place.parentData[place.parentDataProperty] = found;
    return found !== undefined;
  };
  ajv.addKeyword({ keyword: "enum", modifying: true, errors: false, validate: anyCase });
  ajv.addKeyword({
    keyword: "x-case",
    type: "string",
    before: "pattern",
    modifying: true,
    errors: false,
    validate: (letters: "upper" | "lower", data: string, _schema, place) => {
      if (!place) return true;
      place.parentData[place.parentDataProperty] =
        letters === "upper" ? data.toUpperCase() : data.toLowerCase();
      return true;
    },
  });
  const isForeign = (url: string) =>
    url.length <= MAX_URL_CHARACTERS &&
    checkUrl(url, allow).ok &&
    !isBelowAssets(url, assetBaseUrl());
  ajv.addFormat("public-https-url", isForeign);
  // A public URL, or a data URL of any length.
  ajv.addFormat("picture-url", (url: string) =>
    isDataUrl(url) ? PICTURE_DATA_URL.test(url.slice(0, MAX_DATA_URL_HEAD)) : isForeign(url),
  );
  return ajv;
}

function lower(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

/** Its scheme may be in any case. */
export function isDataUrl(url: string): boolean {
  return url.slice(0, 5).toLowerCase() === "data:";
}

/** A body can have tens of thousands of faults; more than this does not help a developer. */
export const MAX_FAULTS = 100;
/** The library finds several errors for a fault; to look at more of them would take tens of milliseconds. */
const MAX_ERRORS = 5 * MAX_FAULTS;

/** Error codes by schema keyword, in order of importance: of several faults of a parameter the first is reported. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  required: "missing_field",
  type: "invalid_type",
  minLength: "too_short",
  maxLength: "too_long",
  minItems: "too_short",
  maxItems: "too_many",
  minProperties: "too_short",
  maxProperties: "too_many",
  minimum: "out_of_range",
  maximum: "out_of_range",
  additionalProperties: "unknown_field",
};
const RANKS = Object.keys(CODES);

/** The error of each parameter, in the order of the schema's properties; unknown fields come last. */
function chosenOf(errors: readonly ErrorObject[], names: readonly string[], data: unknown) {
  const positions = new Map(names.map((name, index) => [name, index]));
  const positionOf = (error: ErrorObject) => {
    const [name] = segmentsOf(error);
    return name === undefined ? 0 : (positions.get(name) ?? names.length);
  };
  const ordered = errors
    // Repeats for the object what the error of the property name itself reports.
    .filter(({ keyword }) => keyword !== "propertyNames")
    .map((error) => ({ error, position: positionOf(error) }))
    .toSorted((a, b) => a.position - b.position);
  const byParam = Map.groupBy(ordered, ({ error }) => paramOf(segmentsOf(error), data));
  return [...byParam].slice(0, MAX_FAULTS).map(([param, all]) => {
    const { error } = all.reduce((best, one) =>
      rankOf(one.error) < rankOf(best.error) ? one : best,
    );
    return [param, error] as const;
  });
}

function codeOf({ keyword, params }: ErrorObject): ErrorCode {
  if (keyword === "format" && isUrlFormat(params["format"])) return "url_not_allowed";
  return CODES[keyword] ?? "invalid_value";
}

function rankOf({ keyword }: ErrorObject): number {
  const rank = RANKS.indexOf(keyword);
  return rank === -1 ? RANKS.length : rank;
}

/** A field's name can be as long as the body; error responses must not be. */
const MAX_PARAM_CHARACTERS = 200;

/** Stands for a field whose name is empty. */
const UNNAMED = '""';

/** The path of an ajv error: its JSON pointer, and the property name when the error is about a name. */
function segmentsOf(error: ErrorObject): string[] {
  const path = error.instancePath.split("/").slice(1);
  const { params, propertyName } = error;
  const name = propertyName ?? params["missingProperty"] ?? params["additionalProperty"];
  const names = path.map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
  return name === undefined ? names : [...names, String(name)];
}

/**
 * `segments` as one string, empty for the whole body. `data` distinguishes list positions from names. Half a surrogate pair
 * becomes U+FFFD: many JSON parsers refuse an answer that has one.
 */
export function paramOf(segments: readonly string[], data: unknown): string {
  let text = "";
  let node = data;
  for (const segment of segments) {
    if (Array.isArray(node)) text += `[${segment}]`;
    else text += `${text === "" ? "" : "."}${segment || UNNAMED}`;
    node = holds(node, segment) ? node[segment] : undefined;
  }
  const isLong = text.length > MAX_PARAM_CHARACTERS;
  return (isLong ? `${text.slice(0, MAX_PARAM_CHARACTERS)}…` : text).toWellFormed();
}
