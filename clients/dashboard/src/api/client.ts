/** The dashboard's routes, typed from their document. */
import createClient from "openapi-fetch";
import type { components, paths } from "#gen/openapi/dashboard.ts";
import { refusalOf } from "./refusal.ts";

export type Schemas = components["schemas"];
export type Mode = Schemas["Mode"];
export type Generation = Schemas["Generation"];
export type Model = Schemas["Model"];

export const BASE = "/dashboard/api";

export const api = createClient<paths>({ baseUrl: BASE });

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of an answer; throws a Refusal where the server refused. */
export async function answered<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response.status, error);
  return data as T;
}
