/** Access to the dashboard's routes: session, membership, role and same origin. */
import {
  accessRules,
  isSameOrigin,
} from "../../../../services/gateway/dashboard/session/access.ts";
import {
  readDocument,
  type OpenApiDocument,
  type OperationNode,
} from "../../../../services/gateway/edge/http/contract.ts";
import { codeOf, useDashboard, type Browser } from "../browser.ts";
import { ofAccounts, ROLES, routes, urlOf } from "../document-operations.ts";
import { errorOf } from "../../requests.ts";

const { harness, newBrowser, useMember } = useDashboard();
const owner = useMember();
const stranger = useMember();
/** Whose role the tests set. */
const member = useMember();

const become = (role: string) => harness.owner`
  insert into gateway.memberships (account_id, user_id, role, joined_at)
  values (${member.account}, ${member.userId}, ${role}, now())
  on conflict (account_id, user_id) do update set role = ${role}`;

const sendTo = (route: OperationNode, { send }: Browser, account = member.account, headers = {}) =>
  send(route.method, urlOf(route, account), route.requestBody ? {} : undefined, headers);

const ABSENT = readDocument("dashboard")["x-error-codes"].find(
  ({ code }) => code === "account_not_found",
)?.description;

const named = (of: OperationNode[]) => of.map((route) => [route.operationId, route] as const);

it("finds the operations on accounts, and the roles of members", () => {
  expect([ofAccounts.length > 25, ROLES.length]).toEqual([true, 4]);
});

describe.each(named(ofAccounts))("%s", (_id, route) => {
  const { "x-roles": listed = [] } = route;

  it("is 404 on another's account, as on one that does not exist", async () => {
    const absent = ["acct_2zjrwfavgwd8tj2ht7shw0cw42", "nonsense", "a%00b"];
    for (const id of [member.account, ...(route === ofAccounts[0] ? absent : [])]) {
      const answer = await sendTo(route, stranger.browser, id);
      expect(codeOf(answer)).toEqual([404, "account_not_found"]);
      expect(answer.body.error.message).toBe(ABSENT);
    }
    expect(harness.calls).toEqual([]);
  });

  it("is for the roles that it lists alone, and a POST counts as a create of the account", async () => {
    for (const role of ROLES) {
      const isListed = listed.includes(role);
      const before = harness.calls.length;
      await become(role);
      const { status, body, headers } = await sendTo(route, member.browser);
      const isRefused = status === 403 && body.error.code === "role_required";
      const isCounted = headers.get("ratelimit")?.startsWith('"creates";r=') ?? false;
      const expected = { isRefused: !isListed, isCounted: isListed && route.method === "POST" };
      expect({ role, isRefused, isCounted }).toEqual({ role, ...expected });
      expect(isListed ? 0 : harness.calls.length - before).toBe(0);
    }
  });
});

it.each(named(routes.filter(({ security }) => security === undefined)))(
  "%s needs a session",
  async (_id, route) => {
    expect(codeOf(await sendTo(route, newBrowser()))).toEqual([401, "session_required"]);
  },
);

it.each(named(routes.filter(({ method }) => method !== "GET")))(
  "%s is refused to pages of other origins",
  async (_id, route) => {
    const headers = { origin: "https://evil.example.com" };
    const answer = await sendTo(route, owner.browser, owner.account, headers);
    expect(codeOf(answer)).toEqual([403, "cross_site_request"]);
  },
);

describe("a member's role", () => {
  it("is checked for HEAD as for GET", async () => {
    await become("viewer");
    const path = "/webhooks/secret?mode=test";
    expect((await member.send("HEAD", path)).status).toBe(403);
    await become("developer");
    expect((await member.send("HEAD", path)).status).toBe(200);
  });

  it("lets viewers change nothing but their own membership, and billing also limits and alerts", () => {
    const changedBy = (role: string) =>
      ofAccounts
        .filter(({ method, "x-roles": listed }) => method !== "GET" && listed?.includes(role))
        .map(({ operationId }) => operationId)
        .toSorted();
    expect(changedBy("viewer")).toEqual(["leaveAccount"]);
    const limits = ["setAlerts", "setEndUserLimits", "setKeyLimits", "setLimits"];
    expect(changedBy("billing")).toEqual(["leaveAccount", ...limits]);
  });

  it("has to be listed: the gateway does not start with an operation on an account that lists none", () => {
    const get = { operationId: "listSecrets", responses: {} };
    const document = { paths: { "/accounts/{account_id}/secrets": { get } } };
    const contract = { document: document as unknown as OpenApiDocument };
    expect(() => accessRules(contract)).toThrow("operation listSecrets lists no x-roles");
  });
});

describe("access to the dashboard's routes", () => {
  it("is refused with a form as the body, which another site could send without a preflight", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const headers = { "content-type": type };
      const answer = await owner.send("PATCH", "", { name: "Taken" }, headers);
      expect(answer.status).toBe(415);
    }
  });

  it("accepts no API key instead of a session, and no session instead of an API key", async () => {
    const { secret, accountId } = await harness.newKey();
    const headers = { authorization: `Bearer ${secret}` };
    const path = `/accounts/${accountId}`;
    expect((await newBrowser().send("GET", path, undefined, headers)).status).toBe(401);
    const cookie = [...owner.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await harness.send("/v1/balance", { headers: { cookie } });
    expect([response.status, (await errorOf(response)).code]).toEqual([401, "missing_api_key"]);
  });

  it("refuses a suspended account's creates, but not its reads", async () => {
    const accountId = owner.account;
    const body = { model: "beta-3.0-video", prompt: "a cat" };
    const create = (mode = "test") => owner.send("POST", `/videos/generations?mode=${mode}`, body);
    await harness.accounts.suspendAccount({ accountId });
    const event = { type: "webhook.test", url: "https://example.com/hook" };
    const sendEvent = () => owner.send("POST", "/webhooks/test-events?mode=test", event);
    for (const answer of [await create(), await sendEvent()])
      expect(codeOf(answer)).toEqual([403, "account_suspended"]);
    expect((await owner.send("GET", "/balances")).status).toBe(200);
    await harness.accounts.unsuspendAccount({ accountId });
    expect((await create()).status).toBe(202);
    expect(codeOf(await create("live"))).toEqual([403, "production_access_required"]);
  });
});

it.each([
  [true, { "sec-fetch-site": "same-origin", origin: "http://localhost:8080" }],
  [true, { origin: "https://media.example.com" }],
  [false, { "sec-fetch-site": "none" }],
  [false, { "sec-fetch-site": "same-site" }],
  [false, { "sec-fetch-site": "cross-site", origin: "https://media.example.com" }],
  [false, { origin: "https://media.example.com.evil.com" }],
  [false, { origin: "http://media.example.com" }],
  [false, { origin: "https://a.media.example.com" }],
  [false, { origin: "null" }],
  [false, {}],
])("the same-origin check returns %s for %j", (expected, headers) => {
  expect(isSameOrigin(headers, "https://media.example.com")).toBe(expected);
});
