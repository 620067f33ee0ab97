/** For each place of a request one request with a fault there, and the codes that the document's schemas can cause. */
import { formOf, type RequestOptions } from "./client.ts";
import { smallestExample, textOf, type Body, type Operation, type Schema } from "./document.ts";

/** The tests' own table of the error codes, independent of the gateway's. */
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

/** The codes that a request's form alone can cause; the service's state causes all others. */
export const SCHEMA_CODES: ReadonlySet<string> = new Set([
  ...Object.values(CODES),
  "url_not_allowed",
  "invalid_json",
  "invalid_idempotency_key",
]);

export type RequestFault = {
  place: "body" | "form" | "query" | "header";
  code: string;
  param: string | undefined;
  request: RequestOptions;
};

const UNKNOWN = "surely_unknown";

export function requestFaults(operation: Operation): RequestFault[] {
  const { body, form, parameters } = operation;
  const broken = { code: "invalid_json", param: undefined, request: { body: '{"a":1,}' } };
  const query = (code: string, param: string, text: string) =>
    ({ place: "query", code, param, request: { query: `?${text}` } }) as const;
  return [
    ...(body
      ? [...fieldFaults(operation, "body", body), { place: "body", ...broken } as const]
      : []),
    ...(form ? fieldFaults(operation, "form", form) : []),
    query("unknown_field", UNKNOWN, `${UNKNOWN}=1`),
    ...parameters.flatMap(({ name, in: place, required, schema }): RequestFault[] => {
      const { pattern } = schema;
      const code = codeOf(schema, "pattern");
      if (place === "query" && required) return [query("missing_field", name, "")];
      // Headers carry Latin-1.
      return place === "header" && pattern !== undefined && !new RegExp(pattern, "u").test("é")
        ? [{ place, code, param: name, request: { headers: [[name, "é"]] } }]
        : [];
    }),
  ];
}

/** With one field too many, without the first that it must have, and where it can have it with a value of another type. */
function fieldFaults(operation: Operation, place: "body" | "form", part: Body): RequestFault[] {
  const example = smallestExample(operation, part);
  const faultOf = (code: string, param: string, fields: typeof example): RequestFault => {
    const isBody = place === "body";
    const sent = isBody ? { body: JSON.stringify(fields) } : { form: formOf(operation, fields) };
    return { place, code, param, request: sent };
  };
  const unknown = faultOf("unknown_field", UNKNOWN, { ...example, [UNKNOWN]: "1" });
  const [name] = part.schema.required ?? [];
  if (name === undefined) return [unknown];
  const { [name]: _, ...rest } = example;
  const missing = faultOf("missing_field", name, rest);
  // A form carries texts and files alone.
  if (place === "form") return [unknown, missing];
  return [unknown, missing, faultOf("invalid_type", name, { ...example, [name]: {} })];
}

/** The codes of values that violate a schema of the operation's requests. */
export function causedCodes({ body, form, parameters }: Operation): string[] {
  const query = parameters.filter((one) => one.in === "query").map(({ schema }) => schema);
  return [...(body ? [body.schema] : []), ...(form ? [form.schema] : []), ...query].flatMap(
    codesOf,
  );
}

function codesOf(schema: Schema): string[] {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...[schema["items"], schema["additionalProperties"]].filter((one) => one instanceof Object),
  ] as Schema[];
  const own = Object.keys(schema).filter(
    (keyword) =>
      keyword in CODES &&
      !(keyword.startsWith("min") && schema[keyword] === 0) &&
      !["binary", "int64"].includes(keyword === "format" ? textOf(schema.format) : "") &&
      (keyword !== "additionalProperties" || schema[keyword] === false),
  );
  return [...own.map((keyword) => codeOf(schema, keyword)), ...inner.flatMap(codesOf)];
}

/** The error code of a value that violates the keyword of this schema. */
function codeOf(schema: Schema, keyword: string): string {
  const own = schema["x-error-code"];
  if (typeof own === "string") return own;
  const isUrl = schema.format === "public-https-url" || schema.format === "picture-url";
  return (keyword === "format" && isUrl ? "url_not_allowed" : CODES[keyword]) ?? "";
}
