/** Who created a row: the column `created_by` of keys and invitations, and the creator's name. */
import type { Db } from "#runtime/postgres/connect.ts";

export type CreatorColumns = {
  /** A user's id, or "operator". */
  createdBy: string;
  /** The user's name; null when there is no such user. */
  creatorName: string | null;
};

/** What is stored for an operator instead of a user's id. */
export const OPERATOR = "operator";

/** The column `creator_name` of a statement on a table with `created_by`. */
export function creatorName(sql: Db) {
  return sql`(select u.name from gateway.users u where u.id = created_by) as creator_name`;
}
