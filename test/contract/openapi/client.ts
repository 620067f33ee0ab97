/** Sends a test request to an operation and parses the response. */
import { exampleId, smallestExample, pathWith, type Operation } from "./document.ts";
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
  const example = operation.maxUploadBytes === undefined ? json : PICTURE;
  const body = "body" in options ? options.body : example;
  const headers = new Headers(options.headers);
  if (secret !== undefined) headers.set("authorization", `Bearer ${secret}`);
  const hasBody = body !== undefined && !["GET", "HEAD"].includes(method);
  if (hasBody && !headers.has("content-type"))
    headers.set("content-type", body === PICTURE ? "image/png" : "application/json");
  const response = await fetch(`${url}${pathWith(operation, id)}${query}`, {
    method,
    headers,
    ...(hasBody ? { body } : {}),
  });
  const text = await response.text();
  const parsed = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  const { code = "", param } = (parsed["error"] ?? {}) as { code?: string; param?: string };
  return { status: response.status, headers: response.headers, code, param, body: parsed };
}
