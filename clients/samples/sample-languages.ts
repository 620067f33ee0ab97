/** Writes one request as code in curl, TypeScript and Python; the API key comes from the environment. */

export type SampleRequest = {
  method: string;
  /** Of the API. */
  baseUrl: string;
  /** Below it, with its query. */
  path: string;
  hasIdempotencyKey: boolean;
  /** A JSON object; undefined when the request has no body, or a file. */
  body: object | undefined;
  /** Asks for the answer once the generation has ended, or as late as the service may give it. */
  waits?: boolean;
  /** The body is a form with a picture. */
  sendsFile?: boolean;
  /** The function of the TypeScript client, such as `videos.create`; that of Python is in snake case. */
  call: string;
  /** The parameters in its path. */
  pathValues?: readonly string[];
  /** What the function resolves with, if anything. */
  result: string | undefined;
  /** It resolves with many, page by page. */
  isPaged?: boolean;
};

const FILE = "picture.png";
const KEY_VARIABLE = "MEDIA_API_KEY";

export function curlSample(request: SampleRequest): string {
  const { method, baseUrl, path, hasIdempotencyKey, waits, body, sendsFile } = request;
  const url = baseUrl + path;
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellString(url)}`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
    ...(hasIdempotencyKey ? [`-H "Idempotency-Key: ${keyOf(request)}"`] : []),
    ...(waits ? [`-H "Prefer: wait=60"`] : []),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"']),
    ...(body === undefined
      ? []
      : [`-d ${shellString(indented(JSON.stringify(body, undefined, 2), 2))}`]),
    ...(sendsFile ? [`-F file=@${FILE}`] : []),
  ];
  return lines.join(" \\\n  ");
}

export function typescriptSample(request: SampleRequest): string {
  const { call, result, isPaged, baseUrl, pathValues = [], body, sendsFile } = request;
  const args = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...(body === undefined ? [] : [typescriptLiteral(body)]),
    ...(sendsFile ? [`{ path: "${FILE}" }`] : []),
    ...(request.hasIdempotencyKey ? [`{ idempotencyKey: "${keyOf(request)}" }`] : []),
  ];
  const isLong = args.some((each) => each.includes("\n"));
  const listed = isLong
    ? `\n  ${args.map((each) => indented(each, 2)).join(",\n  ")},\n`
    : args.join(", ");
  const called = `client.${call}(${listed})`;
  return [
    'import { createClient } from "media-generation-client";',
    "",
    `const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)} }); // the key from ${KEY_VARIABLE}`,
    ...(isPaged
      ? [`for await (const ${result} of ${called}) console.log(${result});`]
      : result === undefined
        ? [`await ${called};`]
        : [`const ${result} = await ${called};`, `console.log(${result});`]),
  ].join("\n");
}

export function pythonSample(request: SampleRequest): string {
  const { call, result, isPaged, baseUrl, pathValues = [], body = {}, sendsFile } = request;
  const args = [
    ...pathValues.map((value) => JSON.stringify(value)),
    ...Object.entries(body).map(([field, value]) => `${field}=${pythonLiteral(value)}`),
    ...(sendsFile ? [`Path("${FILE}")`] : []),
    ...(request.hasIdempotencyKey ? [`idempotency_key="${keyOf(request)}"`] : []),
  ];
  const listed =
    args.length > 1 ? `\n    ${args.map((each) => indented(each, 4)).join(",\n    ")},\n` : args[0];
  const called = `client.${snakeCase(call)}(${listed ?? ""})`;
  return [
    ...(sendsFile ? ["from pathlib import Path", ""] : []),
    "import media_generation_client as media",
    "",
    `client = media.Client(base_url=${JSON.stringify(baseUrl)})  # the key from ${KEY_VARIABLE}`,
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

/** A name for the request: a sample that is run twice is charged once, and another request has another key. */
function keyOf({ path, body }: SampleRequest): string {
  let hash = 0;
  for (const character of path + JSON.stringify(body)) {
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  }
  return `order-${hash.toString(36)}`;
}

function shellString(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON strings and numbers are valid Python; true, false and null are not. */
function pythonLiteral(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return bracketed("[", value.map(pythonLiteral), "]");
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}: ${pythonLiteral(field)}`,
  );
  return bracketed("{", fields, "}");
}

function bracketed(open: string, items: readonly string[], close: string): string {
  if (items.length === 0) return `${open}${close}`;
  const lines = items.map((item) => `    ${indented(item, 4)},`);
  return [open, ...lines, close].join("\n");
}

/** Indents all lines but the first. */
function indented(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
