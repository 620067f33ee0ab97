/** The type of every dashboard operation, and the schemas of the dashboard's document. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { Handler } from "../../edge/http/document-routes.ts";
import type { SessionDeps } from "./deps.ts";

/** Handles a request that is permitted and valid under the document; errors are thrown as problems. */
export type DashboardOperation<Deps = SessionDeps> = (deps: Deps) => Handler;

export type Schemas = components["schemas"];
