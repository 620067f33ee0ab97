/** What ajv found wrong, as the contract's faults: code, place and message, one for each place, in order. */
import type { ErrorObject } from "ajv/dist/2020.js";
import type { AllowAddress } from "#runtime/address.ts";
import type { ErrorCode } from "../contract.ts";
import type { Place } from "./checker.ts";
import { messageOf } from "./message.ts";
import { paramOf, segmentsOf } from "./param.ts";

/** `param` is absent where the body as a whole is at fault. */
export type Fault = { code: ErrorCode; message: string; param?: string };

export type ObjectSchema = { properties?: Record<string, unknown> };

export type Found = {
  errors: readonly ErrorObject[];
  data: unknown;
  schema: ObjectSchema;
  place: Place;
  allow: AllowAddress;
  /** What the document says of a code. */
  describe: (code: ErrorCode) => string;
};

/** More than this helps nobody, and a body can hold tens of thousands. */
const MAX_FAULTS = 100;

/** By keyword. The order is that of importance: of several faults in one place the first is told. */
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

/** The faults in the order of the schema's properties, those of unknown fields last. */
export function faultsIn(found: Found): Fault[] {
  const properties = Object.keys(found.schema.properties ?? {});
  const located = found.errors
    // Says again, of the object, what the error of the name itself says.
    .filter(({ keyword }) => keyword !== "propertyNames")
    .map((error) => ({ error, segments: segmentsOf(error) }))
    .map(({ error, segments }) => ({
      error,
      param: paramOf(segments, found.data),
      place: orderOf(properties, segments[0]),
      rank: rankOf(error.keyword),
    }))
    .toSorted((a, b) => a.place - b.place);
  const chosen = new Map<string, (typeof located)[number]>();
  for (const one of located) {
    const earlier = chosen.get(one.param);
    if (!earlier || one.rank < earlier.rank) chosen.set(one.param, one);
  }
  return [...chosen.values()]
    .slice(0, MAX_FAULTS)
    .map(({ error, param }) => faultOf(error, param, found));
}

function faultOf(error: ErrorObject, param: string, found: Found): Fault {
  const own = (error.parentSchema as Record<string, unknown> | undefined)?.["x-error-code"];
  const code = (own as ErrorCode | undefined) ?? codeOf(error);
  const message =
    own === undefined ? messageOf(error, param, found.place, found.allow) : found.describe(code);
  return { code, message, ...(param === "" ? {} : { param }) };
}

function codeOf({ keyword, params }: ErrorObject): ErrorCode {
  if (keyword === "format" && params["format"] === "public-https-url") return "url_not_allowed";
  return CODES[keyword] ?? "invalid_value";
}

function rankOf(keyword: string): number {
  const rank = RANKS.indexOf(keyword);
  return rank === -1 ? RANKS.length : rank;
}

function orderOf(properties: readonly string[], name: string | undefined): number {
  const index = name === undefined ? 0 : properties.indexOf(name);
  return index === -1 ? properties.length : index;
}
