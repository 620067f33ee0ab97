/** The client of the dashboard's API, typed from openapi/dashboard.yaml. */
import createClient from "openapi-fetch";
import type { components, paths } from "#gen/openapi/dashboard.ts";
import { refusalOf } from "./refusal.ts";

export type Schemas = components["schemas"];
export type Mode = Schemas["Mode"];
export type Session = Schemas["Session"];
export type Account = Schemas["Account"];
export type Generation = Schemas["Generation"];
export type Model = Schemas["Model"];
export type ApiKey = Schemas["ApiKey"];

export const BASE = "/dashboard/api";

export const api = createClient<paths>({ baseUrl: BASE });

type ApiResult<T> = { data?: T; error?: unknown; response: Response };

/** The data of a successful response. Throws a Refusal for an error response. */
export async function unwrap<T>(call: Promise<ApiResult<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusalOf(response.status, error);
  return data as T;
}
