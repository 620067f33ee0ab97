/** Checks a response against the OpenAPI document: status, error code, headers and body. */
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { readJson, readDocument } from "../../services/gateway/edge/http/contract.ts";

type Node = Record<string, unknown> & { $ref?: string };
type DocumentedResponse = Node & {
  "x-codes"?: string[];
  headers?: Record<string, Node>;
  content?: Record<string, { schema: Node }>;
};
type Operation = { operationId: string; responses: Record<string, Node> };
type ErrorBody = {
  type?: string;
  code?: string;
  message?: string;
  request_id?: string;
  errors?: { message?: string }[];
};

type Webhooks = Record<
  string,
  { post: { requestBody: { content: Record<string, { schema: Node }> } } }
>;
type Document = Node & {
  servers: [{ url: string }];
  paths: Record<string, Record<string, Operation>>;
  "x-unmatched-responses": Record<string, Node>;
  "x-error-codes": { code: string; status: number; type: string }[];
};
type Checked = { document: Document; prefix: string; ajv: Ajv2020 };

const media = checked(JSON.parse(readJson("media")) as Document);
/** Each serves a prefix of its own. */
const documents = [media, checked(readDocument("openai") as unknown as Document)];

/** Knows the formats of the documents; what a schema cannot say of a URL it takes for right. */
export function documentAjv(options: { allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, ...options });
  formats.default(ajv);
  for (const name of ["public-https-url", "picture-url", "int64"]) ajv.addFormat(name, true);
  return ajv;
}

function checked(document: Document): Checked {
  const ajv = documentAjv({ allErrors: true });
  ajv.addSchema(closed(document), "document");
  return { document, prefix: document.servers[0].url, ajv };
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

function documentAt(url: string): Checked | undefined {
  return documents.find(({ prefix }) => `${pathOf(url)}/`.startsWith(`${prefix}/`));
}

/** The path as sent; a URL parser would normalise dots and slashes. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/, "").split(/[?#]/, 1)[0] ?? "";
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
    ...headerViolations(of, documented, response),
    ...bodyViolations(of, documented, method, response, text),
  ];
}

/** The violations of the document by a webhook's body; empty if there are none. */
export function eventViolations(body: string): string[] {
  const event = JSON.parse(body) as { type?: string };
  const webhooks = media.document["webhooks"] as Webhooks;
  const hook = webhooks[event.type ?? ""];
  if (!hook) return [`the event ${event.type} is not documented`];
  const { schema = {} } = hook.post.requestBody.content["application/json"] ?? {};
  return schemaViolations(media, schema, event);
}

function documentedResponse(
  of: Checked,
  method: string,
  url: string,
  status: number,
): DocumentedResponse | undefined {
  const { document, prefix } = of;
  const path = decoded(pathOf(url).slice(prefix.length));
  const template = Object.keys(document.paths).find((one) => patternOf(one).test(path));
  const verb = method.toUpperCase() === "HEAD" ? "get" : method.toLowerCase();
  const own = of === media ? "" : "Openai";
  const responses = document.paths[template ?? ""]?.[verb]?.responses ?? {
    "401": { $ref: `#/components/responses/${own}Unauthorized` },
    "503": { $ref: `#/components/responses/${own}Unavailable` },
    ...document["x-unmatched-responses"],
  };
  const response = responses[String(status)];
  return response && (resolveRef(of, response) as DocumentedResponse);
}

const patternOf = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`);

/** As a router does: an encoded slash stays part of its segment. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function headerViolations(
  of: Checked,
  documented: DocumentedResponse,
  response: Response,
): string[] {
  const listed = Object.entries(documented.headers ?? {});
  const headers = new Map(
    listed.map(([name, header]) => [name.toLowerCase(), resolveRef(of, header)]),
  );
  const missing = [...headers]
    .filter(([name, header]) => header["required"] === true && !response.headers.has(name))
    .map(([name]) => `the header ${name} is missing`);
  const wrong = [...response.headers]
    .filter(([name]) => !HTTP_HEADERS.has(name))
    .flatMap(([name, value]) => {
      const header = headers.get(name);
      if (!header) return [`the header ${name} is not documented`];
      const schema = resolveRef(of, (header["schema"] ?? {}) as Node);
      return of.ajv.validate(schema, headerValue(schema, value))
        ? []
        : [`the header ${name}: ${value}: ${of.ajv.errorsText()}`];
    });
  const type = response.headers.get("content-type") ?? "";
  const isJson =
    !documented.content || type.startsWith("application/json") || isStream(documented, response);
  return [...missing, ...wrong, ...(isJson ? [] : [`the Content-Type is ${type}`])];
}

/** A header's value converted to its schema's type. */
function headerValue(schema: Node, text: string): unknown {
  if (schema["type"] === "integer" && /^-?\d+$/.test(text)) return Number(text);
  if (schema["type"] === "boolean" && /^(true|false)$/.test(text)) return text === "true";
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
    return events.flatMap((line) => schemaViolations(of, schema, parseJson(line.slice(6))));
  }
  const body = parseJson(text);
  if (body === undefined) return ["the body is not JSON"];
  const faults = schemaViolations(of, schema, body);
  if (!schema.$ref?.endsWith("ErrorResponse")) return faults;
  const { error = {} } = body as { error?: ErrorBody };
  return [...faults, ...errorViolations(of, documented, response, error)];
}

/** Whether the response is a documented stream of events, each of which has the schema of the JSON answer. */
function isStream({ content = {} }: DocumentedResponse, response: Response): boolean {
  const type = "text/event-stream";
  return type in content && response.headers.get("content-type") === type;
}

function schemaViolations({ ajv }: Checked, schema: Node, value: unknown): string[] {
  const isValid = ajv.validate(schema.$ref ? `document${schema.$ref}` : schema, value);
  return isValid ? [] : [ajv.errorsText()];
}

function errorViolations(
  { document }: Checked,
  documented: DocumentedResponse,
  response: Response,
  error: ErrorBody,
): string[] {
  const { code, type } = error;
  const isListed = document["x-error-codes"].some(
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

function resolveRef(of: Checked, node: Node): Node {
  if (node.$ref === undefined) return node;
  const steps = node.$ref.split("/").slice(1);
  const target = steps.reduce<Node>((at, step) => at[step] as Node, of.document);
  return resolveRef(of, target);
}
