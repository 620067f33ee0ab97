/** Sends a test request to an operation and parses the response. */
import {
  exampleId,
  smallestExample,
  pathWith,
  type Json,
  type Operation,
  type Schema,
} from "./document.ts";
import { sendByNode } from "../../support/send-by-node.ts";
import { contractViolations } from "../../support/answer-checks.ts";
import { makeImage } from "../../support/make-media.ts";

export type ApiResponse = {
  status: number;
  headers: Headers;
  /** The error code; empty for a success. */
  code: string;
  param: string | undefined;
  /** Already checked against the document by checked-answers.ts. */
  body: Record<string, unknown>;
};

export type RequestOptions = {
  secret?: string;
  method?: string;
  id?: string;
  query?: string;
  headers?: [name: string, value: string][];
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Sent in place of the body. */
  form?: FormData;
};

/** What is sent as a file. */
const PICTURE = new Uint8Array(makeImage("png"));

/** Sends the document's smallest example of the operation, changed by `options`. */
export async function sendRequest(
  url: string,
  operation: Operation,
  options: RequestOptions = {},
): Promise<ApiResponse> {
  const { method = operation.method, id = exampleId(operation), query = "", secret } = options;
  const json = operation.body && JSON.stringify(smallestExample(operation));
  const own = operation.form && !json ? formOf(operation, smallestExample(operation)) : json;
  const example = operation.maxUploadBytes === undefined ? own : PICTURE;
  const body = options.form ?? ("body" in options ? options.body : example);
  const headers = new Headers(options.headers);
  if (secret !== undefined) headers.set("authorization", `Bearer ${secret}`);
  const hasBody = body !== undefined && !["GET", "HEAD"].includes(method);
  if (hasBody && !(body instanceof FormData) && !headers.has("content-type"))
    headers.set("content-type", body === PICTURE ? "image/png" : "application/json");
  const response = await fetch(`${url}${pathWith(operation, id)}${query}`, {
    method,
    headers,
    redirect: "manual",
    ...(hasBody ? { body } : {}),
  });
  return parsed(response, await response.text());
}

function parsed({ status, headers }: Response, text: string): ApiResponse {
  const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  const { code = "", param } = (body["error"] ?? {}) as { code?: string; param?: string | null };
  return { status, headers, code, param: param ?? undefined, body };
}

/** Sends the request as it is, as fetch would not, and checks the answer. A body may be shorter than announced. */
export async function sendRaw(
  url: string,
  request: {
    method: string;
    path: string;
    headers: Record<string, string | string[]>;
    body: string | undefined;
  },
): Promise<ApiResponse> {
  const { method, path, headers, body } = request;
  // Without Content-Length, Node sends the body of some methods without any framing.
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const init = { method, path, headers: { ...length, ...headers } };
  const isShorter = "content-length" in headers;
  const answer = await sendByNode(url, init, (sent) =>
    isShorter ? sent.write(body) : sent.end(body),
  );
  const { status, body: text } = answer;
  const received = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    [value].flat().join(", "),
  ]);
  const response = new Response(status === 204 ? null : text, { status, headers: received });
  const violations = contractViolations(method, path, response, text);
  if (violations.length > 0)
    throw new Error(`${method} ${path} answered ${status}: ${violations.join("; ")}`);
  return parsed(response, text);
}

/** The fields as a form: a field that the document has as binary is a picture, whatever its value says. */
export function formOf(operation: Operation, fields: { [name: string]: Json }): FormData {
  const properties = (operation.form?.schema["properties"] ?? {}) as Record<string, Schema>;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    const { items, format } = properties[name] ?? {};
    const isFile = ((items as Schema | undefined)?.format ?? format) === "binary";
    for (const one of [value].flat()) {
      if (isFile) form.append(name, new Blob([PICTURE]), "picture.png");
      else form.append(name, typeof one === "string" ? one : JSON.stringify(one));
    }
  }
  return form;
}
