/** Access to the dashboard's routes: session, membership, role and same origin. */
import { describe, expect, it } from "vitest";
import { isSameOrigin } from "../../../../services/gateway/dashboard/session/access.ts";
import { codeOf, newBrowser, useMember } from "../browser.ts";
import { ofAccounts, routes, urlOf } from "../document-operations.ts";
import { useHarness } from "../../harness.ts";
import { errorOf } from "../../requests.ts";

const harness = useHarness();
const owner = useMember(harness);
const stranger = useMember(harness);

const changing = routes.filter(({ method }) => method !== "GET");

describe("access to the dashboard's routes", () => {
  it.each(ofAccounts.map((route) => [route.operationId, route] as const))(
    "is 404 on %s of another's account, as for one that does not exist",
    async (_name, route) => {
      const body = route.requestBody ? {} : undefined;
      const before = harness.calls.length;
      const messages = new Set<string>();
      const malformed = route === ofAccounts[0] ? ["nonsense", "a%00b"] : [];
      for (const id of [owner.account, "acct_2zjrwfavgwd8tj2ht7shw0cw42", ...malformed]) {
        const answer = await stranger.browser.send(route.method, urlOf(route, id), body);
        expect(codeOf(answer)).toEqual([404, "account_not_found"]);
        messages.add(answer.body.error.message);
      }
      expect(messages.size).toBe(1);
      expect(harness.calls).toHaveLength(before);
    },
  );

  it("counts every POST of an account as a create of that account and mode", async () => {
    const posts = ofAccounts.filter(({ method }) => method === "POST");
    expect([ofAccounts.length > 25, posts.length > 8]).toEqual([true, true]);
    for (const route of posts) {
      const body = route.requestBody ? {} : undefined;
      const { headers } = await owner.browser.send("POST", urlOf(route, owner.account), body);
      expect([route.path, headers.get("ratelimit")]).toEqual([
        route.path,
        expect.stringMatching(/^"creates";r=\d+/),
      ]);
    }
  });

  it("needs a session on every route that is not open", async () => {
    const signedOut = newBrowser(harness);
    const closed = routes.filter(({ security }) => security === undefined);
    for (const route of closed) {
      const sent = route.requestBody ? {} : undefined;
      const { status, body } = await signedOut.send(
        route.method,
        urlOf(route, owner.account),
        sent,
      );
      expect([route.path, status, body.error.code]).toEqual([route.path, 401, "session_required"]);
    }
  });

  it("is refused for changes from another origin", async () => {
    const headers = { origin: "https://evil.example.com" };
    for (const route of changing) {
      const url = urlOf(route, owner.account);
      const answer = await owner.browser.send(route.method, url, {}, headers);
      expect([route.path, ...codeOf(answer)]).toEqual([route.path, 403, "cross_site_request"]);
    }
    expect((await owner.send("GET", "")).status).toBe(200);
  });

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
    expect((await newBrowser(harness).send("GET", path, undefined, headers)).status).toBe(401);
    const cookie = [...owner.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await harness.send("/v1/balance", { headers: { cookie } });
    expect([response.status, (await errorOf(response)).code]).toEqual([401, "missing_api_key"]);
  });

  it("refuses a suspended account's creates, but not its reads", async () => {
    const accountId = owner.account;
    const create = (mode = "test") => {
      const body = { model: "beta-3.0-video", prompt: "a cat" };
      return owner.send("POST", `/videos/generations?mode=${mode}`, body);
    };
    await harness.accounts.suspendAccount({ accountId });
    expect(codeOf(await create())).toEqual([403, "account_suspended"]);
    expect((await owner.send("GET", "/balances")).status).toBe(200);
    await harness.accounts.restoreAccount({ accountId });
    expect((await create()).status).toBe(202);
    expect(codeOf(await create("live"))).toEqual([403, "production_access_required"]);
  });
});

describe("the same-origin check", () => {
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
  ])("returns %s for %j", (expected, headers) => {
    expect(isSameOrigin(headers, "https://media.example.com")).toBe(expected);
  });
});
