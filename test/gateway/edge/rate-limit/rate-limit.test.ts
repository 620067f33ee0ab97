/** Rate limits as clients see them: headers, refusals and their order among the checks. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { MOVED_TIME, useHarness } from "../../harness.ts";
import { errorOf, post, VIDEO, VIDEOS } from "../../requests.ts";

const { clock } = MOVED_TIME;
const harness = useHarness(MOVED_TIME);

async function newCaller(limits: { createsPerMinute?: number; readsPerMinute?: number }) {
  const caller = await harness.newKey();
  await harness.accounts.setLimits({ accountId: caller.accountId, ...limits });
  const create = (body: unknown = VIDEO, more = {}) => caller.post(VIDEOS, body, more);
  const read = (path = "/v1/balance") => caller.get(path);
  return { ...caller, create, read };
}

const limitHeaders = ({ headers }: Response) => [
  headers.get("ratelimit-policy"),
  headers.get("ratelimit"),
];

describe("rate limits", () => {
  it("are in every authenticated response with what remains, including errors", async () => {
    const { create, read } = await newCaller({});
    expect(limitHeaders(await read())).toEqual(['"reads";q=6000;w=60', '"reads";r=5999;t=1']);
    expect(limitHeaders(await read("/v1/nothing"))).toEqual([
      '"reads";q=6000;w=60',
      '"reads";r=5998;t=1',
    ]);
    const [policy, limit] = limitHeaders(await create());
    expect([policy, limit]).toEqual(['"creates";q=600;w=60', '"creates";r=599;t=1']);
    const guide = await (await harness.send("/docs/guides/limits.md")).text();
    expect(guide).toContain(`\nRateLimit-Policy: ${policy}\nRateLimit: ${limit}\n`);
    const faulty = await create("{");
    expect(faulty.status).toBe(400);
    expect(limitHeaders(faulty)).toEqual(['"creates";q=600;w=60', '"creates";r=598;t=1']);
  });

  it("are not in a response without authentication, or when the account has no limits", async () => {
    expect(limitHeaders(await harness.send("/v1/balance"))).toEqual([null, null]);
    const { create, read } = await newCaller({ createsPerMinute: 0, readsPerMinute: 0 });
    expect(limitHeaders(await create())).toEqual([null, null]);
    expect(limitHeaders(await read())).toEqual([null, null]);
  });

  it("refuse requests above them with 429 and the seconds to wait", async () => {
    const { create, read } = await newCaller({ createsPerMinute: 2 });
    expect([(await create()).status, (await create()).status]).toEqual([202, 202]);
    const calls = harness.calls.length;
    const counted = () => harness.metric("media_rate_limited_requests_total", { kind: "creates" });
    const before = (await counted()) ?? 0;
    const refused = await create();
    expect(await counted()).toBe(before + 1);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(limitHeaders(refused)).toEqual(['"creates";q=2;w=60', '"creates";r=0;t=60']);
    const message = "More than 2 creates a minute. Try again in 30 seconds.";
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited", message });
    expect(harness.calls).toHaveLength(calls);
    expect((await read()).status).toBe(200);
    clock.advance(29_999);
    expect((await create()).status).toBe(429);
    clock.advance(100);
    expect((await create()).status).toBe(202);
    expect((await create()).status).toBe(429);
  });

  it("are shared by all keys of an account and count replays", async () => {
    const { accountId, create } = await newCaller({ createsPerMinute: 2 });
    const { secret } = await harness.accounts.createKey({ accountId, mode: Mode.TEST });
    const key = { "idempotency-key": "order-1" };
    expect((await create(VIDEO, key)).status).toBe(202);
    expect((await harness.send(VIDEOS, post(secret, VIDEO, key))).status).toBe(202);
    expect((await create(VIDEO, key)).status).toBe(429);
  });

  it("are checked after the route and before headers, query and body", async () => {
    const caller = await newCaller({ createsPerMinute: 1, readsPerMinute: 1 });
    const { create, read } = caller;
    await create();
    await read();
    expect((await read("/v1/nothing")).status).toBe(404);
    const wrong = await caller.post("/v1/balance", {});
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await create("{", { "idempotency-key": "ä" })).status).toBe(429);
    expect((await create(VIDEO, { "content-type": "text/plain" })).status).toBe(429);
    expect((await read("/v1/balance?limit=1")).status).toBe(429);
  });

  it("are checked after the restriction of an account", async () => {
    const { accountId, create } = await newCaller({ createsPerMinute: 1 });
    await create();
    expect((await create()).status).toBe(429);
    await harness.owner`update gateway.accounts set suspended_at = now() where account_id = ${accountId}`;
    clock.advance(1_000);
    expect(await errorOf(create())).toMatchObject({ status: 403, code: "account_suspended" });
  });

  it("cause 503 without any call of another service while they are unavailable", async () => {
    const { create } = await newCaller({});
    const calls = harness.calls.length;
    const { owner } = harness;
    await using stack = new AsyncDisposableStack();
    const grant = async () =>
      void (await owner`grant update (full_at) on gateway.rate_limits to media_gateway`);
    stack.defer(grant);
    await owner`revoke update on gateway.rate_limits from media_gateway`;
    const response = await create();
    await grant();
    expect(response.headers.has("retry-after")).toBe(true);
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "unavailable" });
    expect(harness.calls).toHaveLength(calls);
    expect((await create()).status).toBe(202);
  });
});
