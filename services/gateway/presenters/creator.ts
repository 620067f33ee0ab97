/** Presents who created something. */
import type { components } from "#gen/openapi/dashboard.ts";
import { OPERATOR } from "../store/creators.ts";
import type { CreatorColumns } from "../store/creators.ts";

/** The field `created_by`, left out when it is not known. */
export function presentCreator({ createdBy, creatorName }: CreatorColumns): {
  created_by?: components["schemas"]["Creator"];
} {
  if (!createdBy) return {};
  if (createdBy === OPERATOR) return { created_by: { type: "operator" } };
  const name = creatorName === null ? {} : { name: creatorName };
  return { created_by: { type: "user", user_id: createdBy, ...name } };
}
