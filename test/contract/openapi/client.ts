/** Sends a test request to an operation and parses the response. */
import {
  exampleId,
  smallestExample,
  pathWith,
  type Json,
  type Operation,
  type Schema,
} from "./document.ts";
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
  const text = await response.text();
  const parsed = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  const { code = "", param } = (parsed["error"] ?? {}) as { code?: string; param?: string | null };
  const { status } = response;
  return { status, headers: response.headers, code, param: param ?? undefined, body: parsed };
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
