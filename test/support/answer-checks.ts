/** Checks a response against the OpenAPI document: status, error code, headers and body. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import {
  operationNodes,
  readDocument,
  type OpenApiDocument,
  type OperationNode,
} from "../../services/gateway/edge/http/contract.ts";
import { isDecodable } from "../../services/gateway/domain/requests.ts";

type Responses = OperationNode["responses"];
type Header = { required?: boolean; schema: { type?: string } };
type DocumentedResponse = Responses[string] & { headers?: Record<string, Header> };
type ErrorBody = {
  type?: string;
  code?: string;
  message?: string;
  request_id?: string;
  errors?: { message?: string }[];
};

type Checked = ReturnType<typeof checked>;

/** Knows the formats of the documents; what a schema cannot say of a URL it takes for right. */
export function documentAjv(options: { allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, ...options });
  formats.default(ajv);
  for (const name of ["public-https-url", "picture-url", "int64"]) ajv.addFormat(name, true);
  return ajv;
}

const ajv = documentAjv({ allErrors: true });

/** Each serves a prefix of its own. */
const documents = [checked("media", ""), checked("openai", "Openai")] as const;
const [media] = documents;

/** A document, with what it says of requests to none of its operations. `own` begins the names of its own answers. */
function checked(name: "media" | "openai", own: "" | "Openai") {
  const document = closed(readDocument(name));
  const { "x-unmatched-responses": unmatched } = document as { "x-unmatched-responses"?: object };
  const responses = {
    "401": { $ref: `#/components/responses/${own}Unauthorized` },
    "503": { $ref: `#/components/responses/${own}Unavailable` },
    ...unmatched,
  };
  const paths: OpenApiDocument["paths"] = { ...document.paths, unmatched: { get: { responses } } };
  const operations = operationNodes({ ...document, paths });
  return {
    prefix: document.servers[0].url,
    codes: document["x-error-codes"],
    unmatched: operations.pop()?.responses ?? {},
    operations,
    webhooks: operationNodes(document, "webhooks"),
  };
}

/** Each sentence ends before the next, which says what to do, begins; and the last one ends. */
const SENTENCES =
  /^(?!.*[\w")] (?:Add|Correct|Poll|Recharge|Remove|Send|Try|Use|Wait) ).*[^.][.?]$/s;

/** Headers of HTTP itself, which the document does not list. */
const HTTP_HEADERS = new Set([
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
]);

/** The document leaves answers open to fields that it gains later; an answer of today has no others than it lists. */
function closed<T>(schema: T): T {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed) as T;
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  const isOpen = "properties" in schema && !("additionalProperties" in schema);
  return Object.fromEntries(isOpen ? [["additionalProperties", false], ...entries] : entries) as T;
}

/** Whether the URL is under the prefix of an API. */
export function isApiUrl(url: string): boolean {
  return documentAt(url) !== undefined;
}

/** The path as sent, decoded; a URL parser would normalise dots and slashes. */
function sentTo(url: string): string {
  const [path = ""] = url.replace(/^https?:\/\/[^/]*/, "").split(/[?#]/, 1);
  return isDecodable(path) ? decodeURI(path) : path;
}

function documentAt(url: string): Checked | undefined {
  return documents.find(({ prefix }) => `${sentTo(url)}/`.startsWith(`${prefix}/`));
}

/** The response's violations of the document; empty if there are none. */
export function contractViolations(
  method: string,
  url: string,
  response: Response,
  text: string,
): string[] {
  const of = documentAt(url) ?? media;
  const documented = documentedResponse(of, method, url, response.status);
  if (!documented) return [`the status ${response.status} is not documented`];
  return [
    ...headerViolations(documented, response),
    ...bodyViolations(of, documented, method, response, text),
  ];
}

/** The violations of the document by a webhook's body; empty if there are none. */
export function eventViolations(body: string): string[] {
  const event = JSON.parse(body) as { type?: string };
  const hook = media.webhooks.find(({ path }) => path === event.type);
  if (!hook) return [`the event ${event.type} is not documented`];
  return schemaViolations(hook.requestBody?.content?.["application/json"]?.schema ?? {}, event);
}

function documentedResponse(
  { prefix, operations, unmatched }: Checked,
  method: string,
  url: string,
  status: number,
): DocumentedResponse | undefined {
  const path = sentTo(url).slice(prefix.length);
  const verb = method.toUpperCase() === "HEAD" ? "GET" : method.toUpperCase();
  const operation = operations.find((one) => one.method === verb && patternOf(one).test(path));
  return (operation?.responses ?? unmatched)[String(status)];
}

const patternOf = ({ path }: OperationNode) =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);

function headerViolations(documented: DocumentedResponse, response: Response): string[] {
  const listed = Object.entries(documented.headers ?? {});
  const headers = new Map(listed.map(([name, header]) => [name.toLowerCase(), header]));
  const missing = [...headers]
    .filter(([name, { required }]) => required === true && !response.headers.has(name))
    .map(([name]) => `the header ${name} is missing`);
  const wrong = [...response.headers]
    .filter(([name]) => !HTTP_HEADERS.has(name))
    .flatMap(([name, value]) => {
      const schema = headers.get(name)?.schema;
      if (!schema) return [`the header ${name} is not documented`];
      const violations = schemaViolations(schema, headerValue(schema, value));
      return violations.map((violation) => `the header ${name}: ${value}: ${violation}`);
    });
  const type = response.headers.get("content-type") ?? "";
  const isJson =
    !documented.content || type.startsWith("application/json") || isStream(documented, response);
  return [...missing, ...wrong, ...(isJson ? [] : [`the Content-Type is ${type}`])];
}

/** A header's value converted to its schema's type. */
function headerValue({ type }: Header["schema"], text: string): unknown {
  if (type === "integer" && /^-?\d+$/.test(text)) return Number(text);
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

function bodyViolations(
  of: Checked,
  documented: DocumentedResponse,
  method: string,
  response: Response,
  text: string,
): string[] {
  if (method.toUpperCase() === "HEAD") return text === "" ? [] : ["HEAD has a body"];
  const schema = documented.content?.["application/json"]?.schema;
  if (!schema) return text === "" ? [] : ["there is a body but none is documented"];
  if (isStream(documented, response)) {
    const events = text.split("\n").filter((line) => line.startsWith("data: "));
    return events.flatMap((line) => schemaViolations(schema, parseJson(line.slice(6))));
  }
  const body = parseJson(text);
  if (body === undefined) return ["the body is not JSON"];
  const faults = schemaViolations(schema, body);
  if (!documented["x-codes"]) return faults;
  const { error = {} } = body as { error?: ErrorBody };
  return [...faults, ...errorViolations(of, documented, response, error)];
}

/** Whether the response is a documented stream of events, each of which has the schema of the JSON answer. */
function isStream({ content = {} }: DocumentedResponse, response: Response): boolean {
  const type = "text/event-stream";
  return type in content && response.headers.get("content-type") === type;
}

function schemaViolations(schema: object, value: unknown): string[] {
  return ajv.validate(schema, value) ? [] : [ajv.errorsText()];
}

function errorViolations(
  { codes }: Checked,
  documented: DocumentedResponse,
  response: Response,
  error: ErrorBody,
): string[] {
  const { code, type } = error;
  const isListed = codes.some(
    (row) => row.code === code && row.type === type && row.status === response.status,
  );
  const { errors = [] } = error;
  const isRepeated = Object.entries(errors[0] ?? {}).every(
    ([name, value]) => (error as Record<string, unknown>)[name] === value,
  );
  const rules: [isKept: boolean | undefined, violation: string][] = [
    [documented["x-codes"]?.includes(code ?? ""), `the code ${code} is not documented`],
    [isListed, `${code} with ${type} and ${response.status} is not in x-error-codes`],
    [
      error.request_id === response.headers.get("request-id"),
      "error.request_id is not the Request-Id",
    ],
    [isRepeated, "the error does not repeat the first of error.errors"],
    ...[error, ...errors].map(({ message = "" }): [boolean, string] => [
      SENTENCES.test(message),
      `the message is not made of sentences: ${message}`,
    ]),
  ];
  return rules.flatMap(([isKept, violation]) => (isKept ? [] : [violation]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
