/** The roles of members: every operation of the document with every role, and what the roles mean. */
import { describe, expect, it } from "vitest";
import { accessRules } from "../../../services/gateway/dashboard/session/access.ts";
import type {
  OpenApiDocument,
  OperationNode,
} from "../../../services/gateway/edge/http/contract.ts";
import { useMember } from "./browser.ts";
import { ofAccounts, ROLES, urlOf } from "./document-operations.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
/** One user, whose role the tests set. */
const user = useMember(harness);

const become = (role: string) => harness.owner`
  insert into gateway.memberships (account_id, user_id, role, joined_at)
  values (${user.account}, ${user.userId}, ${role}, now())
  on conflict (account_id, user_id) do update set role = ${role}`;

/** The status, and the code of an error. */
async function answerTo(route: OperationNode): Promise<string> {
  const body = route.requestBody ? {} : undefined;
  const answer = await user.browser.send(route.method, urlOf(route, user.account), body);
  return answer.status < 400 ? String(answer.status) : `${answer.status} ${answer.body.error.code}`;
}

describe("a member's role", () => {
  it.each(ROLES)("%s allows the operations that list it, and no other", async (role) => {
    await become(role);
    for (const route of ofAccounts) {
      const before = harness.calls.length;
      const answer = await answerTo(route);
      const { operationId, "x-roles": listed = [] } = route;
      const isAllowed = listed.includes(role);
      expect([operationId, answer === "403 role_required"]).toEqual([operationId, !isAllowed]);
      const calls = isAllowed ? 0 : harness.calls.length - before;
      expect(calls).toBe(0);
      if (operationId === "leaveAccount") await become(role);
    }
  });

  it("is checked for HEAD as for GET", async () => {
    await become("viewer");
    const path = "/webhooks/secret?mode=test";
    expect((await user.send("HEAD", path)).status).toBe(403);
    await become("developer");
    expect((await user.send("HEAD", path)).status).toBe(200);
  });

  it("lets viewers change nothing but their own membership, and billing also limits and alerts", () => {
    const changing = ofAccounts.filter(({ method }) => method !== "GET");
    for (const operation of changing) {
      if (operation.operationId === "leaveAccount") continue;
      expect([operation.operationId, operation["x-roles"]]).toEqual([
        operation.operationId,
        expect.not.arrayContaining(["viewer"]),
      ]);
    }
    const byBilling = changing.filter((operation) => operation["x-roles"]?.includes("billing"));
    expect(byBilling.map(({ operationId }) => operationId).toSorted()).toEqual([
      "leaveAccount",
      "setAlerts",
      "setEndUserLimits",
      "setKeyLimits",
      "setLimits",
    ]);
  });

  it("has to be listed: the gateway does not start with an operation on an account that lists none", () => {
    const get = { operationId: "listSecrets", responses: {} };
    const document = { paths: { "/accounts/{account_id}/secrets": { get } } };
    const contract = { document: document as unknown as OpenApiDocument };
    expect(() => accessRules(contract)).toThrow("operation listSecrets lists no x-roles");
  });
});
