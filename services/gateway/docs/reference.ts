/** The pages of operations, events and error codes as Markdown, with samples of code that call the API. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import {
  curlSample,
  FILE,
  indented,
  keyOf,
  pythonLiteral,
  type SampleRequest,
} from "../../../clients/samples/sample-languages.ts";
import type { ErrorCode } from "../edge/validation/error-codes.ts";
import type { OpenApiDocument } from "../edge/http/contract.ts";
import { withoutAddresses, type Body, type Field, type Operation } from "./operations.ts";

const LANGUAGES: Record<string, string> = { curl: "sh", TypeScript: "ts", Python: "python" };
/** What the playground does too. */
const IN_PLAYGROUND = new Set(["createVideoGeneration", "createImageGeneration"]);

/** `prefix` is that of all paths: `/v1`; `baseUrl` is that of the API. */
export function operationMarkdown(operation: Operation, prefix: string, baseUrl: string): string {
  const { id, route, summary, description, parameters, body, successes, errors } = operation;
  const samples = operationSamples(operation, baseUrl);
  const playground = IN_PLAYGROUND.has(id)
    ? " · [Open in playground](/dashboard/go/playground)"
    : "";
  const blocks = [
    `# ${summary}`,
    route ? `\`${route.method} ${prefix}${route.path}\`${playground}` : "",
    description,
    ...(samples.length > 0
      ? [
          "## Samples",
          ...samples.map(({ label, source }) => fenced(`${LANGUAGES[label]} ${label}`, source)),
          "What they need, and how to run them: [Run a sample](/docs/guides/quickstart#run-a-sample).",
        ]
      : []),
    ...(parameters.length > 0
      ? ["## Parameters", parameters.map((each) => entry(each, `${each.in}, `)).join("\n")]
      : []),
    ...(body ? [`## ${route ? "Request body" : "Event"}`, ...bodyBlocks(body)] : []),
    ...(route ? successes : []).flatMap(({ status, description: text, body: answer }) => [
      `## Response ${status}`,
      text,
      ...(answer ? bodyBlocks(answer) : []),
    ]),
    ...(errors.length > 0 ? ["## Errors", errorList(operation)] : []),
  ];
  return `${blocks
    .map((block) => block.trimEnd())
    .filter(Boolean)
    .join("\n\n")}\n`;
}

function bodyBlocks({ type, fields, example }: Body): string[] {
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

function errorList({ errors }: Operation): string {
  return errors
    .map(
      ({ status, type, code, description }) =>
        `- ${status} [\`${code}\`](/docs/errors#${code}), \`${type}\`: ${description.trim()}`,
    )
    .join("\n");
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Of error-notes.yaml: why a code comes, and what to do. The bodies are JSON as it is shown; `wrong` may be none. */
type ErrorNote = {
  cause: string;
  remedy: string;
  to?: string;
  message?: string;
  wrong?: string;
  right?: string;
};

/** A part for each code, whose anchor is the code. */
export function errorsMarkdown(document: OpenApiDocument): string {
  const file = readFileSync(new URL("./error-notes.yaml", import.meta.url), "utf8");
  const notes = parse(file) as Readonly<Record<ErrorCode, ErrorNote>>;
  const codes = Map.groupBy(document["x-error-codes"], ({ code }) => code);
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

type CodeSample = { label: string; source: string };

/** Those of an operation with the document's examples; none of an event. `baseUrl` is that of the API. */
function operationSamples(operation: Operation, baseUrl: string): CodeSample[] {
  const { route, parameters, body, successes } = operation;
  if (!route) return [];
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const path = inPath.reduce(
    (url, { name, example }) => url.replace(`{${name}}`, encodeURIComponent(example)),
    route.path,
  );
  const query = new URLSearchParams();
  for (const { name, in: place, isRequired, example } of parameters)
    if (place === "query" && isRequired) query.append(name, example);
  const sendsFile = body?.type === "multipart/form-data";
  const request = {
    method: route.method,
    url: `${baseUrl}${path}${query.size === 0 ? "" : `?${query.toString()}`}`,
    // A file costs nothing, and the next one has other bytes.
    hasIdempotencyKey: !sendsFile && parameters.some(({ name }) => name === "Idempotency-Key"),
    body: body && !sendsFile ? withoutAddresses(body.example) : undefined,
    sendsFile,
    hasNoContent: successes.some(({ status }) => status === "204"),
  };
  const pathValues = inPath.map(({ example }) => example);
  const call = { ...methodOf(operation, route), baseUrl, pathValues, request };
  return [
    { label: "curl", source: curlSample(request) },
    { label: "TypeScript", source: typescriptClientSample(call) },
    { label: "Python", source: pythonClientSample(call) },
  ];
}

type ClientCall = ReturnType<typeof methodOf> & {
  baseUrl: string;
  /** The examples of its path parameters, in order. */
  pathValues: readonly string[];
  request: SampleRequest;
};

/** The function of the TypeScript client for an operation, and what it resolves with; that of Python is in snake case. */
function methodOf({ id, parameters }: Operation, { path }: NonNullable<Operation["route"]>) {
  const [first = "", second = ""] = path.split("/").slice(1);
  const noun = first === "webhooks" ? second : first;
  const [verb = ""] = /^[a-z]+/.exec(id) ?? [];
  const isPaged = parameters.some(({ name }) => name === "after");
  const isWhole = verb === "list" && !isPaged;
  const singular = noun.replace(/ies$/, "y").replace(/s$/, "");
  return {
    name: `${noun}.${verb}`,
    isPaged,
    result: verb === "delete" ? undefined : isWhole ? noun : singular,
  };
}

function typescriptClientSample(call: ClientCall): string {
  const { name, result, isPaged, baseUrl, pathValues, request } = call;
  const args = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...(request.body === undefined ? [] : [typescriptLiteral(request.body)]),
    ...(request.sendsFile ? [`{ path: "${FILE}" }`] : []),
    ...(request.hasIdempotencyKey ? [`{ idempotencyKey: "${keyOf(request)}" }`] : []),
  ];
  const isLong = args.some((each) => each.includes("\n"));
  const listed = isLong
    ? `\n  ${args.map((each) => indented(each, 2)).join(",\n  ")},\n`
    : args.join(", ");
  const called = `client.${name}(${listed})`;
  return [
    'import { createClient } from "media-generation-client";',
    "",
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)} }); // the key from MEDIA_API_KEY`,
    ...(isPaged
      ? [`for await (const ${result} of ${called}) console.log(${result});`]
      : result === undefined
        ? [`await ${called};`]
        : [`const ${result} = await ${called};`, `console.log(${result});`]),
  ].join("\n");
}

function pythonClientSample(call: ClientCall): string {
  const { name, result, isPaged, baseUrl, pathValues, request } = call;
  const args = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...Object.entries((request.body ?? {}) as object).map(
      ([field, value]) => `${field}=${pythonLiteral(value)}`,
    ),
    ...(request.sendsFile ? [`Path("${FILE}")`] : []),
    ...(request.hasIdempotencyKey ? [`idempotency_key="${keyOf(request)}"`] : []),
  ];
  const listed =
    args.length > 1 ? `\n    ${args.map((each) => indented(each, 4)).join(",\n    ")},\n` : args[0];
  const called = `client.${snakeCase(name)}(${listed ?? ""})`;
  return [
    ...(request.sendsFile ? ["from pathlib import Path", ""] : []),
    "import media_generation_client as media",
    "",
    `client = media.Client(base_url=${JSON.stringify(baseUrl)})  # the key from MEDIA_API_KEY`,
    ...(isPaged
      ? [`for ${result} in ${called}:`, `    print(${result})`]
      : result === undefined
        ? [called]
        : [`${result} = ${called}`, `print(${result})`]),
  ].join("\n");
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** As JSON, with the names of fields bare. A line of JSON begins with nothing else in quotation marks and a colon. */
function typescriptLiteral(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
}
