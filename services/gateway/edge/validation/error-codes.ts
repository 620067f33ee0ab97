/** The error codes and types of the public document and the dashboard's. */
import type { components as dashboardComponents } from "#gen/openapi/dashboard.ts";
import type { components } from "#gen/openapi/media.ts";

/** The public codes and those that only the dashboard's document has. */
export type ErrorCode =
  | components["schemas"]["ErrorCode"]
  | dashboardComponents["schemas"]["DashboardErrorCode"];

export type ErrorType = components["schemas"]["ErrorType"];
