/** listMembers: GET /accounts/{account_id}/members. */
import { presentMember } from "../../presenters/member.ts";
import { presentWholeList } from "../../presenters/page.ts";
import { listAccountMembers } from "../../store/memberships.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MAX_MEMBERS = 1_000;

export const listMembers: DashboardOperation = (deps) => async (request) => {
  const members = await listAccountMembers(deps.sql, membershipOf(request).accountId, MAX_MEMBERS);
  return presentWholeList(members.map(presentMember)) satisfies Schemas["MemberList"];
};
