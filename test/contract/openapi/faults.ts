/** For each place of a request and each code that the document's schemas can cause there, one request with that fault alone. */
import fc from "fast-check";
import { valid } from "./arbitraries.ts";
import { formOf, type RequestOptions } from "./client.ts";
import {
  deref,
  smallestExample,
  textOf,
  type Json,
  type Operation,
  type Parameter,
  type Schema,
} from "./document.ts";

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

/** `param` is the path of the invalid part within the value: `[0]`, `.name`, or empty for the value itself. */
type ValueFault = { keyword: string; code: string; param: string; value: Json };

export type RequestFault = {
  place: "body" | "form" | "query" | "header";
  code: string;
  param: string | undefined;
  request: RequestOptions;
};

const UNKNOWN = "surely_unknown";
const OTHER_TYPES: readonly Json[] = [{}, "7", 7];
const NOT_LISTED: readonly Json[] = ["nope", 999_999_999, false, true];
const MISMATCHES = ["\0", "é", "nope"];

/** The first of each place and code. */
export function requestFaults(operation: Operation): RequestFault[] {
  const { body, form, parameters } = operation;
  const all = [
    ...(body ? bodyFaults(body.schema, smallestExample(operation, body)) : []),
    ...(form ? formFaults(operation, form.schema) : []),
    ...parameters.filter((one) => one.in === "query").flatMap(queryFaults),
    unknownQuery(),
    ...parameters.filter((one) => one.in === "header").flatMap(headerFaults),
    ...(OWN_FAULTS[operation.id] ?? []),
  ];
  const first = new Map(all.toReversed().map((one) => [`${one.place} ${one.code}`, one]));
  return [...first.values()].toReversed();
}

/** What no schema says. */
const OWN_FAULTS: Readonly<Record<string, RequestFault[]>> = {
  createFile: [
    {
      place: "body",
      code: "missing_field",
      param: "file",
      request: { body: new Uint8Array(), headers: [["content-type", "image/png"]] },
    },
    {
      place: "form",
      code: "invalid_value",
      param: "file",
      request: { form: files("file", "file") },
    },
    { place: "form", code: "invalid_type", param: "file", request: { form: formWith("text") } },
    {
      place: "form",
      code: "too_short",
      param: "file",
      request: { form: formWith(new Blob([])) },
    },
  ],
  openaiEditImage: [
    { place: "form", code: "invalid_type", param: "image", request: { form: textAsPicture() } },
  ],
  retrieveUsage: [
    {
      place: "query",
      code: "out_of_range",
      param: "to",
      request: { query: "?from=2026-01-01&to=2026-04-03" },
    },
  ],
};

function textAsPicture(): FormData {
  const form = new FormData();
  for (const name of ["model", "prompt", "image"]) form.append(name, "alpha-2.0-image");
  return form;
}

function formWith(file: Blob | string): FormData {
  const form = new FormData();
  if (typeof file === "string") form.set("file", file);
  else form.set("file", file, "a.png");
  return form;
}

function files(...names: string[]): FormData {
  const form = new FormData();
  for (const name of names) form.append(name, new Blob(["a"]), "a");
  return form;
}

/** The codes of values that violate a schema of the operation's requests. */
export function causedCodes({ body, form, parameters }: Operation): string[] {
  const query = parameters.filter((one) => one.in === "query");
  const schemas = [body?.schema, form?.schema, ...query.map(({ schema }) => schema)];
  return schemas.flatMap((schema) =>
    schema === undefined ? [] : valueFaults(schema).map(({ code }) => code),
  );
}

function bodyFaults(schema: Schema, base: Json): RequestFault[] {
  const faults = valueFaults(schema, base).map(({ code, param, value }): RequestFault => {
    const request = { body: JSON.stringify(value) };
    return { place: "body", code, param: param.slice(1) || undefined, request };
  });
  const broken = { code: "invalid_json", param: undefined, request: { body: '{"a":1,}' } };
  return [...faults, { place: "body", ...broken }];
}

/** A form carries texts and files: none is of another type, and no list is empty. */
function formFaults(operation: Operation, schema: Schema): RequestFault[] {
  const isText = (value: Json) => typeof value === "string";
  const isCarried = (value: Json) =>
    isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText));
  const base = smallestExample(operation, operation.form);
  return valueFaults(schema, base).flatMap(({ keyword, code, param, value }): RequestFault[] => {
    const fields = value as { [name: string]: Json };
    if (keyword === "type" || !Object.values(fields).every(isCarried)) return [];
    const request = { form: formOf(operation, fields) };
    return [{ place: "form", code, param: param.slice(1) || undefined, request }];
  });
}

/** Query values are text; a number is a text that parses as one. */
function queryFaults({ name, required, schema: node }: Parameter): RequestFault[] {
  const schema = deref(node);
  const isText = [schema.type].flat().includes("string");
  const at = (code: string, ...values: Json[]): RequestFault => {
    const query = `?${values.map((value) => `${name}=${encodeURIComponent(textOf(value))}`).join("&")}`;
    return { place: "query", code, param: name, request: { query } };
  };
  const [known = ""] = fc.sample(valid(schema), { seed: 1, numRuns: 1 });
  return [
    ...valueFaults(schema)
      .filter(({ value }) => typeof value === (isText ? "string" : "number"))
      .map(({ code, value }) => at(code, value)),
    at(codeOf(schema, "type"), ...(isText ? [known, known] : ["abc"])),
    ...(required ? [at("missing_field")] : []),
  ];
}

function unknownQuery(): RequestFault {
  const request = { query: `?${UNKNOWN}=1` };
  return { place: "query", code: "unknown_field", param: UNKNOWN, request };
}

/** Headers carry Latin-1 without control characters. */
function headerFaults({ name, schema }: Parameter): RequestFault[] {
  return valueFaults(schema).flatMap(({ code, value }): RequestFault[] =>
    typeof value === "string" && /^[!-~\u0080-\u00ff]*$/.test(value)
      ? [{ place: "header", code, param: name, request: { headers: [[name, value]] } }]
      : [],
  );
}

/** A value for each keyword of the schema that it alone violates, else like `base`; those of fields first. */
function valueFaults(node: Schema, base?: Json): ValueFault[] {
  const schema = deref(node);
  return Object.keys(schema)
    .toSorted((a, b) => Number(b === "properties") - Number(a === "properties"))
    .flatMap((keyword) => faultsOf(schema, keyword, base));
}

function faultsOf(schema: Schema, keyword: string, base?: Json): ValueFault[] {
  const limit = Number(schema[keyword]);
  const faults = (values: readonly Json[], param = ""): ValueFault[] =>
    values.map((value) => ({ keyword, code: codeOf(schema, keyword), param, value }));
  const types = [schema.type ?? []].flat();
  const object = () => (base ?? sample(schema)) as { [name: string]: Json };
  const within = (inner: Schema, param: string, put: (value: Json) => Json, of?: Json) =>
    valueFaults(inner, of).map((one) => ({
      ...one,
      param: `${param}${one.param}`,
      value: put(one.value),
    }));
  const entries = (count: number) =>
    Array.from({ length: count }, (_, at): [string, Json] => [
      `k${at}`,
      sample(schema["additionalProperties"] as Schema),
    ]);
  switch (keyword) {
    case "type":
      return faults(OTHER_TYPES.filter((one) => !types.includes(typeof one)).slice(0, 1));
    case "const":
    case "enum": {
      const values = schema.enum ?? [schema.const ?? null];
      const others = NOT_LISTED.filter((one) => types.includes(typeof one));
      return faults(others.filter((one) => !values.includes(one)).slice(0, 1));
    }
    case "pattern": {
      if (schema.format !== undefined) return [];
      const matches = new RegExp(String(schema.pattern), "u");
      const long = MISMATCHES.map((one) => one.repeat(Number(schema["minLength"] ?? 1)));
      return faults(long.filter((one) => !matches.test(one)));
    }
    case "format":
      return ["binary", "int64"].includes(String(schema.format)) ? [] : faults(["nope"]);
    case "minLength":
      return limit > 0 ? faults(["a".repeat(limit - 1)]) : [];
    case "maxLength":
      return faults(["a".repeat(limit + 1)]);
    case "minimum":
    case "exclusiveMinimum":
      return faults([limit - 1]);
    case "maximum":
    case "exclusiveMaximum":
      return faults([limit + 1]);
    case "minItems":
      return limit > 0 ? faults([Array(limit - 1).fill(sample(schema["items"] as Schema))]) : [];
    case "maxItems":
      return faults([Array(limit + 1).fill(sample(schema["items"] as Schema))]);
    case "items":
      return within(schema["items"] as Schema, "[0]", (value) => [value]);
    case "minProperties":
      return limit > 0 && base === undefined ? faults([{}]) : [];
    case "maxProperties": {
      const named = Object.entries(schema.properties ?? {}).slice(0, limit + 1);
      const all = named.map(([name, inner]): [string, Json] => [name, sample(inner)]);
      if (schema["additionalProperties"] === false)
        return all.length > limit ? faults([Object.fromEntries(all)]) : [];
      return faults([Object.fromEntries(entries(limit + 1))]);
    }
    case "required":
      return (schema.required ?? []).flatMap((name) => {
        const { [name]: _, ...rest } = object();
        return faults([rest], `.${name}`);
      });
    case "propertyNames":
      return valueFaults({ type: "string", ...(schema["propertyNames"] as Schema) })
        .filter(({ value }) => typeof value === "string" && value !== "")
        .map((one) => ({
          ...one,
          param: `.${textOf(one.value)}`,
          value: { [textOf(one.value)]: sample(schema["additionalProperties"] as Schema) },
        }));
    case "additionalProperties": {
      const inner = schema[keyword];
      if (inner === false) return faults([{ ...object(), [UNKNOWN]: "1" }], `.${UNKNOWN}`);
      return inner === true ? [] : within(inner as Schema, ".k", (value) => ({ k: value }));
    }
    case "properties":
      return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
        within(inner, `.${name}`, (value) => ({ ...object(), [name]: value })),
      );
    default:
      if (NO_CONSTRAINT.has(keyword) || keyword.startsWith("x-")) return [];
      throw new Error(`no fault for the keyword ${keyword}: add it to faults.ts`);
  }
}

const NO_CONSTRAINT = new Set(["description", "title", "default", "example", "examples"]);

function sample(schema: Schema): Json {
  const [example] = deref(schema).examples ?? [];
  return example ?? fc.sample(valid(schema), { seed: 1, numRuns: 1 })[0] ?? null;
}

/** The error code of a value that violates the keyword of this schema. */
function codeOf(schema: Schema, keyword: string): string {
  const own = schema["x-error-code"];
  if (typeof own === "string") return own;
  const isUrl = schema.format === "public-https-url" || schema.format === "picture-url";
  return (keyword === "format" && isUrl ? "url_not_allowed" : CODES[keyword]) ?? "";
}
