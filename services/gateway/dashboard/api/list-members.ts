/** listMembers: GET /accounts/{account_id}/members. */
import { listAccountMembers } from "../../store/memberships.ts";
import { membershipOf } from "../request-state.ts";
import { onePage, publicMember } from "./operation.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MOST = 1_000;

export const listMembers: DashboardOperation = (deps) => async (request) => {
  const members = await listAccountMembers(deps.sql, membershipOf(request).account_id, MOST);
  return onePage(members.map(publicMember)) satisfies Schemas["MemberList"];
};
