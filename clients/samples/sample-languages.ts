/** Writes one request as code in curl, TypeScript and Python; the API key comes from the environment. */

export type SampleRequest = {
  method: string;
  url: string;
  hasIdempotencyKey: boolean;
  /** A JSON value; undefined when the request has no body, or a file. */
  body: unknown;
  /** Asks for the answer once the generation has ended, or as late as the service may give it. */
  waits?: boolean;
  /** The body is a form with a picture. */
  sendsFile?: boolean;
  /** The answer has no body, as that of a deletion. */
  hasNoContent?: boolean;
};

export const FILE = "picture.png";
const KEY_VARIABLE = "MEDIA_API_KEY";

/** The longest that an answer is held back. */
const WAIT = "wait=60";

/** Creating an image may take 120 seconds to respond. */
const TIMEOUT_SECONDS = 130;

export function curlSample(request: SampleRequest): string {
  const { method, url, hasIdempotencyKey, waits, body, sendsFile } = request;
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${shellString(url)}`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
    ...(hasIdempotencyKey ? [`-H "Idempotency-Key: ${keyOf(request)}"`] : []),
    ...(waits ? [`-H "Prefer: ${WAIT}"`] : []),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"']),
    ...(body === undefined
      ? []
      : [`-d ${shellString(indented(JSON.stringify(body, undefined, 2), 2))}`]),
    ...(sendsFile ? [`-F file=@${FILE}`] : []),
  ];
  return lines.join(" \\\n  ");
}

export function typescriptSample(request: SampleRequest): string {
  const { method, url, hasIdempotencyKey, waits, body, sendsFile, hasNoContent } = request;
  const json = body === undefined ? "" : JSON.stringify(body, undefined, 2);
  const lines = [
    ...(sendsFile
      ? [
          'import { openAsBlob } from "node:fs";',
          "",
          "const form = new FormData();",
          `form.append("file", await openAsBlob("${FILE}"));`,
        ]
      : []),
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === "GET" ? [] : [`  method: ${JSON.stringify(method)},`]),
    "  headers: {",
    `    Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\`,`,
    ...(hasIdempotencyKey ? [`    "Idempotency-Key": "${keyOf(request)}",`] : []),
    ...(waits ? [`    Prefer: "${WAIT}",`] : []),
    ...(body === undefined ? [] : ['    "Content-Type": "application/json",']),
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(json, 2)}),`]),
    ...(sendsFile ? ["  body: form,"] : []),
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    `console.log(${hasNoContent ? "response.status" : "await response.json()"});`,
  ];
  return lines.join("\n");
}

export function pythonSample(request: SampleRequest): string {
  const { method, url, hasIdempotencyKey, waits, body, sendsFile, hasNoContent } = request;
  const lines = [
    "import os",
    "",
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    "    headers={",
    `        "Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}",`,
    ...(hasIdempotencyKey ? [`        "Idempotency-Key": "${keyOf(request)}",`] : []),
    ...(waits ? [`        "Prefer": "${WAIT}",`] : []),
    "    },",
    ...(body === undefined ? [] : [`    json=${indented(pythonLiteral(body), 4)},`]),
    ...(sendsFile ? [`    files={"file": open("${FILE}", "rb")},`] : []),
    `    timeout=${TIMEOUT_SECONDS},`,
    ")",
    "response.raise_for_status()",
    `print(response.${hasNoContent ? "status_code" : "json()"})`,
  ];
  return lines.join("\n");
}

/** A name for the request: a sample that is run twice is charged once, and another request has another key. */
export function keyOf({ url, body }: SampleRequest): string {
  let hash = 0;
  for (const character of url + JSON.stringify(body)) {
    hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  }
  return `order-${hash.toString(36)}`;
}

function shellString(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON strings and numbers are valid Python; true, false and null are not. */
export function pythonLiteral(value: unknown): string {
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
export function indented(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
