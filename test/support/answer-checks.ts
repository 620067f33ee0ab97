/** Whether an answer is one that the document promises: its status, its code, its headers and its body. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { parse } from "yaml";

type Node = Record<string, unknown> & { $ref?: string };
type Answer = Node & {
  "x-codes"?: string[];
  headers?: Record<string, Node>;
  content?: Record<string, { schema: Node }>;
};
type Operation = { operationId: string; responses: Record<string, Node> };
type Told = { type?: string; code?: string; request_id?: string; errors?: object[] };

const path = new URL("../../openapi/media.yaml", import.meta.url);
const document = parse(readFileSync(path, "utf8")) as Node & {
  servers: [{ url: string }];
  paths: Record<string, Record<string, Operation>>;
  "x-unmatched-responses": Record<string, Node>;
  "x-error-codes": { code: string; status: number; type: string }[];
};
const prefix = document.servers[0].url;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addFormat("public-https-url", true);
ajv.addFormat("int64", true);
ajv.addSchema(document, "document");

/** Headers that are HTTP's own, and not the contract's. */
const PLAIN = new Set([
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** Whether the URL is one of the API that the document describes. */
export function isOfApi(url: string): boolean {
  return pathOf(url).startsWith(`${prefix}/`);
}

/** As it was sent: what a URL parser would do to dots and slashes is not for the checks to do. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/, "").split(/[?#]/, 1)[0] ?? "";
}

/** The ways in which the answer breaks the document; none where it keeps to it. */
export function breaches(method: string, url: string, response: Response, text: string): string[] {
  const answer = answerFor(method, url, response.status);
  if (!answer) return [`the status ${response.status} is not documented`];
  return [...headerBreaches(answer, response), ...bodyBreaches(answer, method, response, text)];
}

function answerFor(method: string, url: string, status: number): Answer | undefined {
  const route = pathOf(url).slice(prefix.length).split("/").map(decoded);
  const found = Object.entries(document.paths).find(([template]) => {
    const parts = template.split("/");
    return (
      parts.length === route.length &&
      parts.every((part, index) => part.startsWith("{") || part === route[index])
    );
  });
  const verb = method.toUpperCase() === "HEAD" ? "get" : method.toLowerCase();
  const responses = found?.[1][verb]?.responses ?? {
    "401": { $ref: "#/components/responses/Unauthorized" },
    "503": { $ref: "#/components/responses/Unavailable" },
    ...document["x-unmatched-responses"],
  };
  const response = responses[String(status)];
  return response && (resolved(response) as Answer);
}

/** As a router reads it: an encoded slash stays part of its segment. */
function decoded(segment: string): string {
  try {
    return decodeURI(segment);
  } catch {
    return segment;
  }
}

function headerBreaches(answer: Answer, response: Response): string[] {
  const documented = new Map(
    Object.entries(answer.headers ?? {}).map(
      ([name, header]) => [name.toLowerCase(), resolved(header)] as const,
    ),
  );
  const missing = [...documented]
    .filter(([name, header]) => header["required"] === true && !response.headers.has(name))
    .map(([name]) => `the header ${name} is missing`);
  const wrong = [...response.headers]
    .filter(([name]) => !PLAIN.has(name))
    .flatMap(([name, value]) => {
      const header = documented.get(name);
      if (!header) return [`the header ${name} is not documented`];
      const schema = resolved((header["schema"] ?? {}) as Node);
      return ajv.validate(schema, headerValue(schema, value))
        ? []
        : [`the header ${name}: ${value}: ${ajv.errorsText()}`];
    });
  const type = response.headers.get("content-type") ?? "";
  const isJson = !answer.content || type.startsWith("application/json");
  return [...missing, ...wrong, ...(isJson ? [] : [`the Content-Type is ${type}`])];
}

/** A header's text as the type that its schema names. */
function headerValue(schema: Node, text: string): unknown {
  if (schema["type"] === "integer" && /^-?\d+$/.test(text)) return Number(text);
  if (schema["type"] === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

function bodyBreaches(answer: Answer, method: string, response: Response, text: string): string[] {
  if (method.toUpperCase() === "HEAD") return text === "" ? [] : ["HEAD has a body"];
  const schema = answer.content?.["application/json"]?.schema;
  if (!schema) return text === "" ? [] : ["there is a body where none is documented"];
  const body = parsed(text);
  if (body === undefined) return ["the body is not JSON"];
  const name = schema.$ref?.slice(1) ?? "";
  const isValid = ajv.validate(name === "" ? schema : `document#${name}`, body);
  const faults = isValid ? [] : [ajv.errorsText()];
  return name.endsWith("/ErrorResponse")
    ? [...faults, ...errorBreaches(answer, response, (body as { error?: Told }).error ?? {})]
    : faults;
}

function errorBreaches(answer: Answer, response: Response, error: Told): string[] {
  const { code, type } = error;
  const isInTable = document["x-error-codes"].some(
    (row) => row.code === code && row.type === type && row.status === response.status,
  );
  const [first] = error.errors ?? [];
  const isRepeated = Object.entries(first ?? {}).every(
    ([name, value]) => (error as Record<string, unknown>)[name] === value,
  );
  return [
    ...(answer["x-codes"]?.includes(code ?? "")
      ? []
      : [`the code ${code} is not documented for ${response.status}`]),
    ...(isInTable ? [] : [`${code} with ${type} and ${response.status} is not in x-error-codes`]),
    ...(error.request_id === response.headers.get("request-id")
      ? []
      : ["error.request_id is not the Request-Id"]),
    ...(isRepeated ? [] : ["the first of error.errors is not repeated on top"]),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function resolved(node: Node): Node {
  if (node.$ref === undefined) return node;
  const steps = node.$ref.split("/").slice(1);
  return resolved(steps.reduce((at, step) => at[step] as Node, document as Node));
}
