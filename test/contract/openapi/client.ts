/** Sends what the cases describe, and tells what came back. */
import { exampleId, leastBody, pathWith } from "./document.ts";
import type { Operation } from "./document.ts";

export type Answer = {
  status: number;
  headers: Headers;
  /** Empty for a success. */
  code: string;
  param: string | undefined;
  /** The document's checker has seen it before. */
  body: Record<string, unknown>;
};

export type Asked = {
  secret?: string;
  method?: string;
  id?: string;
  query?: string;
  headers?: [name: string, value: string][];
  body?: string | Uint8Array<ArrayBuffer> | undefined;
};

/** A request to the operation, as its document says unless `asked` says otherwise. */
export async function ask(url: string, operation: Operation, asked: Asked = {}): Promise<Answer> {
  const { method = operation.method, id = exampleId(operation), query = "", secret } = asked;
  const least = operation.body && JSON.stringify(leastBody(operation));
  const body = "body" in asked ? asked.body : least;
  const headers = new Headers(asked.headers);
  if (secret !== undefined) headers.set("authorization", `Bearer ${secret}`);
  const hasBody = body !== undefined && !["GET", "HEAD"].includes(method);
  if (hasBody && !headers.has("content-type")) headers.set("content-type", "application/json");
  const response = await fetch(`${url}${pathWith(operation, id)}${query}`, {
    method,
    headers,
    ...(hasBody ? { body } : {}),
  });
  const text = await response.text();
  const answer = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  const { code = "", param } = (answer["error"] ?? {}) as { code?: string; param?: string };
  return { status: response.status, headers: response.headers, code, param, body: answer };
}
