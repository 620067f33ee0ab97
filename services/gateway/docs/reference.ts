/** The pages of operations, events and error codes as Markdown, with samples of code that call the API. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import {
  curlSample,
  pythonSample,
  typescriptSample,
} from "../../../clients/samples/sample-languages.ts";
import type { ErrorCode } from "../edge/validation/checker.ts";
import type { CodeEntry, Content, OperationNode, ParameterNode } from "../edge/http/contract.ts";
import { slugOf } from "./html.ts";

/** What the playground does too. */
const IN_PLAYGROUND = new Set(["createVideoGeneration", "createImageGeneration"]);

/** `prefix` is that of all paths: `/v1`; `baseUrl` is that of the API. */
export function operationMarkdown(
  operation: OperationNode,
  codes: readonly CodeEntry[],
  { prefix, baseUrl }: { prefix: string; baseUrl: string },
): string {
  const { operationId, method, path, summary, description = "", parameters } = operation;
  const hasRoute = !isEvent(operation);
  const samples = hasRoute ? operationSamples(operation, baseUrl) : [];
  const playground = IN_PLAYGROUND.has(operationId)
    ? " · [Open in playground](/dashboard/go/playground)"
    : "";
  const body = bodyBlocks(operation.requestBody?.content);
  const successes = Object.entries(operation.responses).filter(
    ([status]) => hasRoute && status.startsWith("2"),
  );
  const shown = parameters.map((each) => entry(parameterOf(each), `${each.in}, `));
  const part = (title: string, ...all: string[]) =>
    all.some(Boolean) ? [`## ${title}`, ...all] : [];
  const blocks = [
    `# ${summary}`,
    hasRoute ? `\`${method} ${prefix}${path}\`${playground}` : "",
    description,
    ...part("Samples", ...samples),
    ...part("Parameters", shown.join("\n")),
    ...part(hasRoute ? "Request body" : "Event", ...body),
    ...successes.flatMap(([status, { description: text = "", content }]) => [
      `## Response ${status}`,
      text,
      ...bodyBlocks(content),
    ]),
    ...part("Errors", errorLines(operation, codes).join("\n")),
  ];
  return `${blocks
    .map((block) => block.trimEnd())
    .filter(Boolean)
    .join("\n\n")}\n`;
}

function bodyBlocks(content: Content | undefined): string[] {
  const body = bodyOf(content);
  if (!body) return [];
  const { type, fields, example } = body;
  return [
    `\`${type}\``,
    fields.map((field) => entry(field)).join("\n"),
    ...(example === undefined ? [] : [fenced("json", JSON.stringify(example, undefined, 2))]),
  ];
}

/** An item of a list, with the fields of an object below it. */
function entry(field: Field, before = "", indent = ""): string {
  const { name, type, isRequired, description, rules, fields } = field;
  const facts = [`${before}${type}${isRequired ? ", required" : ""}`, ...rules].join("; ");
  const deeper = `${indent}  `;
  const text = description.trim().replaceAll(/\n(?=[^\n])/g, `\n${deeper}`);
  return [
    `${indent}- \`${name}\` (${facts})${text === "" ? "" : `: ${text}`}`,
    ...fields.map((each) => entry(each, "", deeper)),
  ].join("\n");
}

/** The codes that its responses may have, as they are meant there. */
function errorLines({ responses }: OperationNode, codes: readonly CodeEntry[]): string[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const { "x-codes": own = [], "x-error-types": types } = response;
    const { "x-code-descriptions": descriptions = {} } = response;
    return own.flatMap((code) =>
      codes
        .filter((row) => row.code === code && String(row.status) === status)
        .filter(({ type }) => types?.includes(type) ?? true)
        .map(({ type, description }) => {
          const text = (descriptions[code] ?? description).trim();
          return `- ${status} [\`${code}\`](/docs/errors#${code}), \`${type}\`: ${text}`;
        }),
    );
  });
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Of error-notes.yaml: why a code comes, and what to do. The bodies are JSON as it is shown; `wrong` may be none. */
type ErrorNote = Record<"cause" | "remedy", string> &
  Partial<Record<"to" | "message" | "wrong" | "right", string>>;

/** A part for each code, whose anchor is the code. */
export function errorsMarkdown(all: readonly CodeEntry[]): string {
  const file = readFileSync(new URL("./error-notes.yaml", import.meta.url), "utf8");
  const notes = parse(file) as Readonly<Record<ErrorCode, ErrorNote>>;
  const codes = Map.groupBy(all, ({ code }) => code);
  const parts = [...codes].flatMap(([code, entries]) => {
    const { cause, remedy, to = "POST /videos/generations", message, wrong, right } = notes[code];
    return [
      `## \`${code}\``,
      ...entries.map(
        ({ status, type, description }) => `**${status}, \`${type}\`.** ${description.trim()}`,
      ),
      `**Why it happens.** ${cause}`,
      `**What to do.** ${remedy}`,
      ...(wrong === undefined || right === undefined
        ? []
        : [
            `Such a body of \`${to}\`, the \`message\` of the answer, and the body corrected:`,
            fenced("json", wrong),
            ...(message === undefined ? [] : [fenced("json", JSON.stringify(message))]),
            fenced("json", right),
          ]),
    ];
  });
  const introduction =
    "Every code of `error.code`; `error.doc_url` leads to its part. The format of errors, and how to catch them in TypeScript and Python, is in [Errors](/docs/guides/errors).";
  return `${["# Error codes", introduction, ...parts].join("\n\n")}\n`;
}

/** Those of an operation with the document's examples. `baseUrl` is that of the API. */
function operationSamples(operation: OperationNode, baseUrl: string) {
  const { method, parameters, requestBody } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const path = inPath.reduce(
    (url, each) => url.replace(`{${each.name}}`, encodeURIComponent(exampleOf(each))),
    operation.path,
  );
  const query = new URLSearchParams();
  for (const each of parameters)
    if (each.in === "query" && each.required) query.append(each.name, exampleOf(each));
  const body = bodyOf(requestBody?.content);
  const sendsFile = body?.type === "multipart/form-data";
  const request = {
    ...functionOf(operation),
    method,
    baseUrl,
    path: `${path}${query.size === 0 ? "" : `?${query.toString()}`}`,
    pathValues: inPath.map(exampleOf),
    // A file costs nothing, and the next one has other bytes.
    hasIdempotencyKey: !sendsFile && parameters.some(({ name }) => name === "Idempotency-Key"),
    body: body && !sendsFile ? withoutAddresses(body.example) : undefined,
    sendsFile,
  };
  return [
    fenced("sh curl", curlSample(request)),
    fenced("ts TypeScript", typescriptSample(request)),
    fenced("python Python", pythonSample(request)),
    "What they need, and how to run them: [Run a sample](/docs/guides/quickstart#run-a-sample).",
  ];
}

/** The function of the TypeScript client for an operation, and what it resolves with. */
function functionOf({ operationId, path, parameters }: OperationNode) {
  const [first = "", second = ""] = path.split("/").slice(1);
  const noun = first === "webhooks" ? second : first;
  const [verb = ""] = /^[a-z]+/.exec(operationId) ?? [];
  const isPaged = parameters.some(({ name }) => name === "after");
  const isWhole = verb === "list" && !isPaged;
  const singular = noun.replace(/ies$/, "y").replace(/s$/, "");
  return {
    call: `${noun}.${verb}`,
    isPaged,
    result: verb === "delete" ? undefined : isWhole ? noun : singular,
  };
}

type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: [Schema];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  "x-when-absent"?: string;
  [limit: string]: unknown;
};

/** The path of its page, below /docs. */
export function operationPath({ operationId }: OperationNode): string {
  return `reference/${slugOf(operationId.replaceAll(/[A-Z]/g, " $&"))}`;
}

/** An event, which the service sends, has a name in place of a path. */
export function isEvent({ path }: OperationNode): boolean {
  return !path.startsWith("/");
}

function parameterOf({ name, required, schema, description }: ParameterNode): Field {
  const field = fieldOf(name, schema as Schema, required === true);
  return { ...field, description: description ?? field.description };
}

function exampleOf({ example, schema }: ParameterNode): string {
  const [shown] = (schema as Schema).examples ?? [];
  return String(example ?? (shown as string | number | undefined) ?? "");
}

export function bodyOf(content: Content = {}) {
  const [first] = Object.entries(content);
  if (!first) return undefined;
  const [type, { schema, example, examples = {} }] = first;
  const [named] = Object.values(examples);
  return { type, fields: fieldsOf(schema as Schema), example: named?.value ?? example };
}

/** With what it says in other words: the schema that has all of it, or the one of several that is not `null`. */
function valueSchema(schema: Schema): Schema {
  const [named] = schema.allOf ?? [];
  return { ...named, ...schema.anyOf?.find(({ type }) => type !== "null"), ...schema };
}

export type Field = {
  name: string;
  isRequired: boolean;
  /** Such as "integer" or "array of string". */
  type: string;
  /** Markdown. */
  description: string;
  /** Allowed values, default and limits, each as text. */
  rules: string[];
  /** Those of an object, or of the objects of a list. */
  fields: Field[];
  /** A value that it may have; undefined where the document has none. */
  example: unknown;
  /** What holds without it, where the document says that. */
  whenAbsent: string | undefined;
};

/** What differs from model to model. */
const OF_MODELS =
  /(?<=\b(?:model's|whose)\s+)`(?:durations|aspect_ratios|sizes|parameters|inputs|max_reference_images)`/g;

/** The fields of an object's schema; none for another schema. */
function fieldsOf(schema: Schema): Field[] {
  const { properties = {}, required = [] } = valueSchema(schema);
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(name, property, required.includes(name)),
  );
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): Field {
  const value = valueSchema(schema);
  const items = value.items && valueSchema(value.items);
  return {
    name,
    isRequired,
    type: typeOf(value),
    description: (value.description ?? "").replaceAll(OF_MODELS, "[$&](/docs/models)"),
    rules: rulesOf(value),
    fields: fieldsOf(items ?? value),
    example: items?.examples ? [items.examples[0]] : value.examples?.[0],
    whenAbsent: value["x-when-absent"],
  };
}

function typeOf(value: Schema): string {
  if (value.items) return `array of ${typeOf(valueSchema(value.items))}`;
  if ("const" in value) return typeof value.const;
  const types = [value.type ?? (value.properties ? "object" : "any")].flat();
  return types.filter((type) => type !== "null").join(" or ");
}

const LIMITS: Record<string, string> = {
  minimum: "at least #",
  exclusiveMinimum: "more than #",
  maximum: "at most #",
  minLength: "at least # characters",
  maxLength: "at most # characters",
  minItems: "at least # entries",
  maxItems: "at most # entries",
  maxProperties: "at most # keys",
};

/** Allowed values, default and limits of a schema. */
function rulesOf(schema: Schema): string[] {
  const values = schema.enum ?? ("const" in schema ? [schema.const] : []);
  const shown = values.filter((value) => value !== null).map(String);
  const limits = Object.entries(LIMITS)
    .filter(([key]) => key in schema)
    .filter(([key]) => !(key === "minLength" && schema[key] === 1))
    .map(([key, words]) => words.replace("#", Number(schema[key]).toLocaleString("en-US")));
  return [
    ...(shown.length > 0 ? [`one of: \`${shown.join("`, `")}\``] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...limits,
  ];
}

/** An example without its addresses: those of others, to which nothing may be sent. */
function withoutAddresses(example: unknown): object {
  const entries = Object.entries(example as Record<string, unknown>);
  return Object.fromEntries(entries.filter(([, value]) => !String(value).startsWith("https://")));
}
