/** The error code expected for each schema keyword: the tests' own table, independent of the gateway's. */
import type { Schema } from "./document.ts";

const CODES: Readonly<Record<string, string>> = {
  required: "missing_field",
  type: "invalid_type",
  enum: "invalid_value",
  const: "invalid_value",
  pattern: "invalid_value",
  format: "invalid_value",
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

/** Keywords that contain other schemas or documentation. */
const NO_CONSTRAINT = new Set([
  "properties",
  "items",
  "propertyNames",
  "description",
  "title",
  "default",
  "example",
  "examples",
  "x-error-code",
  "x-own-files",
  "x-when-absent",
  "x-model-property",
]);

const FORMATS = new Set([
  "public-https-url",
  "picture-url",
  "binary",
  "date",
  "date-time",
  "int64",
]);

/** The codes that a request's form alone can cause; the service's state causes all others. */
export const SCHEMA_CODES: ReadonlySet<string> = new Set([
  ...Object.values(CODES),
  "url_not_allowed",
  "invalid_json",
  "invalid_idempotency_key",
]);

/** The error code of a value that violates the keyword of this schema. */
export function codeOf(schema: Schema, keyword: string): string {
  const own = schema["x-error-code"];
  if (typeof own === "string") return own;
  const isUrl = schema["format"] === "public-https-url" || schema["format"] === "picture-url";
  if (keyword === "format" && isUrl) return "url_not_allowed";
  return CODES[keyword] ?? "";
}

/** Throws where the schema has a constraint for which no case is generated, so that none is left untested. */
export function assertKeywordsKnown(schema: Schema): void {
  for (const keyword of Object.keys(schema)) {
    if (!(keyword in CODES) && !NO_CONSTRAINT.has(keyword)) {
      throw new Error(`no cases for the keyword ${keyword}: add them to value-cases.ts`);
    }
  }
  const { format } = schema;
  if (format !== undefined && !FORMATS.has(String(format))) {
    throw new Error(`no cases for the format ${String(format)}: add them to text-cases.ts`);
  }
}
