/** More requests than a process can answer soon: those beyond its limit are refused at once, the others go on. */
import { describe, expect, it } from "vitest";
import { MAX_BUSY } from "../../../services/gateway/http/load-limit.ts";
import { useHarness } from "../harness.ts";
import { errorOf, headersOf } from "../requests.ts";

const harness = useHarness();

/** Billing does not answer until `answer` is called. */
function silentBilling() {
  const answered = Promise.withResolvers<void>();
  const { getBalance } = harness.backends;
  harness.backends.getBalance = (async () => {
    await answered.promise;
    return getBalance();
  }) as never;
  return { answer: answered.resolve };
}

const get = (path: string, more: Record<string, string> = {}) =>
  harness.send(path, { headers: headersOf(harness.key.secret, more) });

describe("a gateway that has as many requests in hand as it may", () => {
  it("answers the next at once with 503 and Retry-After, without asking anybody, and goes on with the others", async () => {
    const billing = silentBilling();
    const inHand = Array.from({ length: MAX_BUSY }, () => get("/v1/balance"));
    await expect.poll(() => harness.calls.length, { timeout: 10_000 }).toBe(MAX_BUSY);

    const refused = await harness.send("/v1/balance", { headers: headersOf("unknown-key") });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toMatchObject({ type: "api_error", code: "unavailable" });
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
    const waiting = await get("/v1/videos/generations/vgen_0", { prefer: "wait=1" });
    expect(waiting.status).not.toBe(503);

    billing.answer();
    const statuses = (await Promise.all(inHand)).map(({ status }) => status);
    expect(statuses).toEqual(inHand.map(() => 200));
    expect((await get("/v1/balance")).status).toBe(200);
  });

  it("takes the place of a request whose client has gone for another one", async () => {
    const billing = silentBilling();
    const gone = new AbortController();
    const url = `${harness.localUrl}/v1/balance`;
    const init = { headers: headersOf(harness.key.secret), signal: gone.signal };
    const inHand = Array.from({ length: MAX_BUSY }, () => fetch(url, init).catch(() => undefined));
    await expect.poll(() => harness.calls.length, { timeout: 10_000 }).toBe(MAX_BUSY);
    gone.abort();
    await Promise.all(inHand);
    await expect.poll(async () => (await get("/v1/models")).status).toBe(200);
    billing.answer();
  });
});
