/** The roles as the pages name and explain them. */
import type { Schemas } from "../../api/client.ts";

export type Role = Schemas["Role"];

const MEANINGS: Record<Role, string> = {
  owner: "everything, also members and signing secrets",
  developer: "generations, API keys and webhooks",
  billing: "balances, usage and transactions",
  viewer: "reads everything but signing secrets",
};

/** The choices of a select, the role that may do least first. */
export const ROLE_CHOICES: { value: Role; label: string }[] = [
  { value: "viewer", label: "viewer" },
  { value: "billing", label: "billing" },
  { value: "developer", label: "developer" },
  { value: "owner", label: "owner" },
];

/** The same with what each may do. */
export const EXPLAINED_ROLE_CHOICES = ROLE_CHOICES.map(({ value, label }) => ({
  value,
  label: `${label}: ${MEANINGS[value]}`,
}));

export function isRole(value: string): value is Role {
  return value in MEANINGS;
}

/** What a member of this role may do, as the rest of a sentence after a colon. */
export function meaningOf(role: Role): string {
  return MEANINGS[role];
}
