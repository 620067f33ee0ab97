/** Authentication of API requests: keys, suspension and production access. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { newApiKey } from "../../../services/gateway/domain/api-key.ts";
import { video, refusing } from "../backends.ts";
import { useHarness } from "../harness.ts";
import { errorOf, headersOf, post } from "../requests.ts";

const CREATE = "/v1/videos/generations";
const LEAST = { model: "m", prompt: "a cat" };
const FILE_FORM =
  '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n--x--\r\n';

/** Stands still but for what tests add, so that a key stays cached however slow the machine is. */
let nowMs = Date.now();
const clock = { ...systemClock, now: () => new Date(nowMs) };
const harness = useHarness({ clock });

const balanceWith = (authorization: string | undefined) =>
  harness.send("/v1/balance", authorization === undefined ? {} : { headers: { authorization } });

async function refusalOf(authorization: string | undefined) {
  const response = await balanceWith(authorization);
  const { type, code } = await errorOf(response);
  const challenge = response.headers.get("www-authenticate");
  return { status: response.status, challenge, type, code };
}

const unauthorized = (code: string) => ({
  status: 401,
  challenge: "Bearer",
  type: "authentication_error",
  code,
});

describe("a request to the API", () => {
  it("with a key that is malformed or was never issued is 401 invalid_api_key", async () => {
    const { secret } = await harness.newKey();
    const malformed = [`${secret}x`, secret.slice(0, -1), `${secret} x`, "\u00e9"];
    for (const key of [...malformed, newApiKey("live"), newApiKey("test")]) {
      expect(await refusalOf(`Bearer ${key}`)).toEqual(unauthorized("invalid_api_key"));
    }
  });

  it("is accepted with its key, in any case of the scheme", async () => {
    const { secret } = await harness.newKey();
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      expect((await balanceWith(`${scheme} ${secret}`)).status).toBe(200);
    }
  });

  it("with a revoked key is 401 at most one second after the revocation", async () => {
    const { accountId, secret } = await harness.newKey();
    expect((await balanceWith(`Bearer ${secret}`)).status).toBe(200);
    await harness.owner`update gateway.api_keys set revoked_at = now() where account_id = ${accountId}`;
    nowMs += 1_000;
    expect(await refusalOf(`Bearer ${secret}`)).toEqual(unauthorized("revoked_api_key"));
  });

  it.each([
    ["/v1/videos/generations", "application/json", JSON.stringify(LEAST)],
    ["/openai/v1/videos", "application/json", JSON.stringify(LEAST)],
    ["/v1/files", "image/png", "bytes"],
    ["/v1/files", "multipart/form-data; boundary=x", FILE_FORM],
  ])("to %s as %s whose key is revoked while the body comes is 401", async (path, type, body) => {
    const { accountId, secret } = await harness.newKey();
    expect((await balanceWith(`Bearer ${secret}`)).status).toBe(200);
    const sent = request(`${harness.url}${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": type,
        "content-length": body.length,
      },
    });
    const arrived = Promise.withResolvers<void>();
    const arrive = () => arrived.resolve();
    subscribe("http.server.request.start", arrive);
    sent.write(body.slice(0, 1));
    await arrived.promise;
    unsubscribe("http.server.request.start", arrive);
    // This one is admitted once a later request is answered.
    expect((await balanceWith(`Bearer ${secret}`)).status).toBe(200);
    await harness.owner`update gateway.api_keys set revoked_at = now() where account_id = ${accountId}`;
    nowMs += 1_000;
    sent.end(body.slice(1));
    const [{ statusCode }] = (await once(sent, "response")) as [IncomingMessage];
    expect(statusCode).toBe(401);
    expect(harness.calls.filter(({ method }) => method.startsWith("create"))).toEqual([]);
  });

  it("with an expired key is 401 from the moment of expiry, even when the key is cached", async () => {
    const { accountId, secret } = await harness.newKey();
    const expiresAt = new Date(nowMs + 400);
    await harness.owner`update gateway.api_keys set expires_at = ${expiresAt} where account_id = ${accountId}`;
    expect((await balanceWith(`Bearer ${secret}`)).status).toBe(200);
    nowMs += 500;
    expect(await refusalOf(`Bearer ${secret}`)).toEqual(unauthorized("expired_api_key"));
  });
});

describe.each([
  ["a suspended account", "account_suspended", "live", "suspended_at = now()"],
  ["a suspended account in test mode", "account_suspended", "test", "suspended_at = now()"],
  [
    "a live key whose account lost production",
    "production_access_required",
    "live",
    "production_granted = false",
  ],
] as const)("%s", (_caller, code, mode, change) => {
  const restrictedKey = async () => {
    const { accountId, secret } = await harness.newKey(mode);
    await harness.owner.unsafe(
      `update gateway.accounts set ${change} where account_id = '${accountId}'`,
    );
    nowMs += 1_000;
    return secret;
  };
  const notFound = refusing("NOT_FOUND", "no such generation");

  it("still reads", async () => {
    expect((await balanceWith(`Bearer ${await restrictedKey()}`)).status).toBe(200);
  });

  it("cannot create without an Idempotency-Key, and generation is not called", async () => {
    const response = await harness.send(CREATE, post(await restrictedKey(), LEAST));
    expect(response.status).toBe(403);
    expect(await errorOf(response)).toMatchObject({ type: "permission_error", code });
    expect(harness.calls).toEqual([]);
  });

  it("can replay an accepted create, but not make a new one", async () => {
    const secret = await restrictedKey();
    const more = { "idempotency-key": "order-1" };
    harness.backends.createVideo = ({ generationId }) => ({
      generation: video({ id: generationId }),
      replayed: true,
    });
    const repeated = await harness.send(CREATE, post(secret, LEAST, more));
    expect(repeated.status).toBe(202);
    expect(repeated.headers.get("idempotent-replayed")).toBe("true");
    harness.backends.createVideo = notFound;
    const refused = await harness.send(CREATE, post(secret, LEAST, more));
    expect(refused.status).toBe(403);
    expect(await errorOf(refused)).toMatchObject({ code });
    expect(harness.calls.map(({ request }) => request)).toMatchObject([
      { replayOnly: true },
      { replayOnly: true },
    ]);
  });

  it("is refused before any fault of the request is reported", async () => {
    const secret = await restrictedKey();
    const plain = {
      ...post(secret, "x"),
      headers: headersOf(secret, { "content-type": "text/x" }),
    };
    const faulty = [
      post(secret, "not json"),
      post(secret, {}),
      post(secret, LEAST, { "idempotency-key": "two words" }),
      plain,
    ];
    for (const init of faulty) {
      const response = await harness.send(CREATE, init);
      expect(response.status).toBe(403);
      expect(await errorOf(response)).toMatchObject({ code });
    }
    expect(harness.calls).toEqual([]);
  });
});
