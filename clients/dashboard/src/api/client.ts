/** Calls operations of the dashboard's API by their ids in openapi/dashboard.yaml, which also types them. */
import type { components, operations } from "#gen/openapi/dashboard.ts";
import { OPERATIONS } from "#gen/openapi/dashboard-operations.ts";
import { refusalOf } from "./refusal.ts";

export type Schemas = components["schemas"];
export type Mode = Schemas["Mode"];
export type Session = Schemas["Session"];
export type Account = Schemas["Account"];
export type Generation = Schemas["Generation"];
export type Model = Schemas["Model"];
export type ApiKey = Schemas["ApiKey"];
export type Delivery = Schemas["WebhookDelivery"];

export type Operation = keyof typeof OPERATIONS & keyof operations;

type Part<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Parameters<O extends Operation> = operations[O]["parameters"];
export type Query<O extends Operation> = Omit<Part<Parameters<O>["query"]>, "mode">;

/** Parameters of the path and the query, and the body. The account and mode of the page need not be given. */
export type Input<O extends Operation> = Query<O> &
  Omit<Part<Parameters<O>["path"]>, "account_id"> &
  (operations[O] extends { requestBody: { content: infer Content } }
    ? { body: Content extends { "application/json": infer Json } ? Json : FormData }
    : unknown) & { idempotencyKey?: string };

type Responses<O extends Operation> = operations[O]["responses"];

export type Answer<O extends Operation> = {
  [Status in keyof Responses<O> & (200 | 201 | 202 | 204)]: Responses<O>[Status] extends {
    content: { "application/json": infer Json };
  }
    ? Json
    : undefined;
}[keyof Responses<O> & (200 | 201 | 202 | 204)];

const BASE = "/dashboard/api";
const READ_MS = 20_000;

/** Throws a Refusal for an error response. */
export async function call<O extends Operation>(operation: O, input: Input<O>): Promise<Answer<O>> {
  const { body, idempotencyKey, ...parameters } = input as Record<string, unknown>;
  const { method } = OPERATIONS[operation];
  const response = await fetch(urlOf(operation, parameters as Values), {
    method,
    // A read that hangs is given up, to be made again; a change may take longer, and is not made twice.
    ...(method === "GET" && { signal: AbortSignal.timeout(READ_MS) }),
    headers: {
      ...(body !== undefined &&
        !(body instanceof FormData) && { "Content-Type": "application/json" }),
      ...(typeof idempotencyKey === "string" && { "Idempotency-Key": idempotencyKey }),
    },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  if (response.ok)
    return (response.status === 204 ? undefined : await response.json()) as Answer<O>;
  throw refusalOf(response.status, await response.json().catch(() => undefined));
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

export function urlOf(operation: Operation, parameters: Values): string {
  let path: string = OPERATIONS[operation].path;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    const inPath = path.replace(`{${name}}`, encodeURIComponent(value));
    if (inPath === path) query.set(name, String(value));
    path = inPath;
  }
  return `${BASE}${path}${query.size > 0 ? `?${query}` : ""}`;
}
