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

const path = new URL("../../openapi/media.yaml", import.meta.url);
const document = parse(readFileSync(path, "utf8")) as Node & {
  paths: Record<string, Record<string, Operation>>;
  "x-unmatched-responses": Record<string, Node>;
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addFormat("public-https-url", true);
ajv.addFormat("int64", true);
ajv.addSchema(document, "document");

/** Headers that are HTTP's own, and not the contract's. */
const PLAIN = new Set(["connection", "content-length", "content-type", "date", "keep-alive"]);

/** The ways in which the answer breaks the document; none where it keeps to it. */
export function breaches(method: string, url: string, response: Response, text: string): string[] {
  const answer = answerFor(method, url, response.status);
  if (!answer) return [`${response.status} is not documented`];
  return [...headerBreaches(answer, response), ...bodyBreaches(answer, method, text)];
}

function answerFor(method: string, url: string, status: number): Answer | undefined {
  const route = new URL(url).pathname.slice("/v1".length).split("/");
  const found = Object.entries(document.paths).find(([template]) => {
    const parts = template.split("/");
    return (
      parts.length === route.length &&
      parts.every((part, index) => part.startsWith("{") || part === route[index])
    );
  });
  const verb = method === "HEAD" ? "get" : method.toLowerCase();
  const responses = found?.[1][verb]?.responses ?? {
    "401": { $ref: "#/components/responses/Unauthorized" },
    ...document["x-unmatched-responses"],
  };
  const response = responses[String(status)];
  return response && (resolved(response) as Answer);
}

function headerBreaches(answer: Answer, response: Response): string[] {
  const documented = Object.entries(answer.headers ?? {}).map(
    ([name, header]) => [name.toLowerCase(), resolved(header)] as const,
  );
  const missing = documented
    .filter(([name, header]) => header["required"] === true && !response.headers.has(name))
    .map(([name]) => `the header ${name} is missing`);
  const names = new Set(documented.map(([name]) => name));
  const extra = [...response.headers.keys()]
    .filter((name) => !PLAIN.has(name) && !names.has(name))
    .map((name) => `the header ${name} is not documented`);
  return [...missing, ...extra];
}

function bodyBreaches(answer: Answer, method: string, text: string): string[] {
  if (method === "HEAD") return text === "" ? [] : ["HEAD has a body"];
  const body = JSON.parse(text) as { error?: { code?: string } };
  const schema = answer.content?.["application/json"]?.schema ?? {};
  const name = schema.$ref?.slice(1) ?? "";
  const isValid = ajv.validate(`document#${name}`, body);
  const code = name.endsWith("/ErrorResponse") ? body.error?.code : undefined;
  const isKnown = code === undefined || answer["x-codes"]?.includes(code) === true;
  return [
    ...(isValid ? [] : [ajv.errorsText()]),
    ...(isKnown ? [] : [`the code ${code} is not documented for this status`]),
  ];
}

function resolved(node: Node): Node {
  if (node.$ref === undefined) return node;
  const steps = node.$ref.split("/").slice(1);
  return steps.reduce((at, step) => at[step] as Node, document as Node);
}
