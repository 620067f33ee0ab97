/** Maps ajv's errors to the contract's faults: code, parameter and message, at most one per parameter. */
import type { ErrorObject } from "ajv/dist/2020.js";
import type { AllowAddress } from "#runtime/address.ts";
import { isBelowAssets } from "#vocabulary/asset-url.ts";
import type { ErrorCode } from "./error-codes.ts";
import { isUrlFormat, messageOf, type RequestPart } from "./message.ts";
import { paramOf, segmentsOf } from "./param.ts";

/** One thing wrong with a request. `param` is absent when the body as a whole is at fault. */
export type Fault = { code: ErrorCode; message: string; param?: string };

export type ObjectSchema = { properties?: Record<string, unknown> };

export type FaultSource = {
  errors: readonly ErrorObject[];
  data: unknown;
  schema: ObjectSchema;
  part: RequestPart;
  allow: AllowAddress;
  assetBaseUrl: () => string;
  /** The document's description of a code. */
  describe: (code: ErrorCode) => string;
};

/** A body can have tens of thousands of faults; more than this does not help a developer. */
const MAX_FAULTS = 100;

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
  exclusiveMinimum: "out_of_range",
  exclusiveMaximum: "out_of_range",
  additionalProperties: "unknown_field",
};
const RANKS = Object.keys(CODES);

/** The faults in the order of the schema's properties; unknown fields come last. */
export function faultsIn(source: FaultSource): Fault[] {
  const properties = Object.keys(source.schema.properties ?? {});
  const located = source.errors
    // Repeats for the object what the error of the property name itself reports.
    .filter(({ keyword }) => keyword !== "propertyNames")
    .map((error) => ({ error, segments: segmentsOf(error) }))
    .map(({ error, segments }) => ({
      error,
      param: paramOf(segments, source.data),
      position: positionOf(properties, segments[0]),
      rank: rankOf(error.keyword),
    }))
    .toSorted((a, b) => a.position - b.position);
  const chosen = new Map<string, (typeof located)[number]>();
  for (const candidate of located) {
    const earlier = chosen.get(candidate.param);
    if (!earlier || candidate.rank < earlier.rank) chosen.set(candidate.param, candidate);
  }
  return [...chosen.values()]
    .slice(0, MAX_FAULTS)
    .map(({ error, param }) => faultOf(error, param, source));
}

function faultOf(error: ErrorObject, param: string, source: FaultSource): Fault {
  const described = error.parentSchema?.["x-error-code"] as ErrorCode | undefined;
  const documentCode = isAbsentFile(error, source) ? "file_not_found" : described;
  const code = documentCode ?? codeOf(error);
  const message =
    documentCode === undefined
      ? messageOf(error, param, source.part, source.allow)
      : source.describe(code);
  return { code, message, ...(param === "" ? {} : { param }) };
}

/** Whether a URL that is below those of stored files has not the form of one. */
function isAbsentFile(
  { keyword, parentSchema, data }: ErrorObject,
  { assetBaseUrl }: FaultSource,
): boolean {
  if (keyword !== "format" || parentSchema?.["x-own-files"] !== true) return false;
  return isBelowAssets(String(data), assetBaseUrl());
}

function codeOf({ keyword, params }: ErrorObject): ErrorCode {
  if (keyword === "format" && isUrlFormat(params["format"])) return "url_not_allowed";
  return CODES[keyword] ?? "invalid_value";
}

function rankOf(keyword: string): number {
  const rank = RANKS.indexOf(keyword);
  return rank === -1 ? RANKS.length : rank;
}

function positionOf(properties: readonly string[], name: string | undefined): number {
  const index = name === undefined ? 0 : properties.indexOf(name);
  return index === -1 ? properties.length : index;
}
