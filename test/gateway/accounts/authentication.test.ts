/** Authentication of API requests: keys, suspension and production access. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { video, refusing } from "../backends.ts";
import { MOVED_TIME, useHarness } from "../harness.ts";
import { errorOf, headersOf, post } from "../requests.ts";

const CREATE = "/v1/videos/generations";
const LEAST = { model: "m", prompt: "a cat" };
const FILE_FORM =
  '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n--x--\r\n';

const harness = useHarness(MOVED_TIME);
const { clock } = MOVED_TIME;

const readBy = (authorization: string) =>
  harness.send("/v1/balance", { headers: { authorization } });
const statusBy = async (secret: string) => (await readBy(`Bearer ${secret}`)).status;

describe("a request to the API", () => {
  it.each(["Bearer", "bearer", "BEARER"])("is accepted with its key as %s", async (scheme) => {
    expect((await readBy(`${scheme} ${harness.key.secret}`)).status).toBe(200);
  });

  it.each([
    ["/v1/videos/generations", "application/json", JSON.stringify(LEAST)],
    ["/openai/v1/videos", "application/json", JSON.stringify(LEAST)],
    ["/v1/files", "image/png", "bytes"],
    ["/v1/files", "multipart/form-data; boundary=x", FILE_FORM],
  ])("to %s as %s whose key is revoked while the body comes is 401", async (path, type, body) => {
    const key = await harness.newKey();
    expect(await statusBy(key.secret)).toBe(200);
    const headers = headersOf(key.secret, { "content-type": type });
    const length = { "content-length": body.length };
    const init = { method: "POST", headers: { ...headers, ...length } };
    const sent = request(`${harness.url}${path}`, init);
    const arrived = Promise.withResolvers<void>();
    const arrive = () => arrived.resolve();
    subscribe("http.server.request.start", arrive);
    sent.write(body.slice(0, 1));
    await arrived.promise;
    unsubscribe("http.server.request.start", arrive);
    // This one is admitted once a later request is answered.
    expect(await statusBy(key.secret)).toBe(200);
    await harness.owner`
      update gateway.api_keys set revoked_at = now() where account_id = ${key.accountId}`;
    clock.advance(1_000);
    sent.end(body.slice(1));
    const [{ statusCode }] = (await once(sent, "response")) as [IncomingMessage];
    expect(statusCode).toBe(401);
    expect(harness.calls.filter(({ method }) => method.startsWith("create"))).toEqual([]);
  });
});

const SUSPENDED = "suspended_at = now()";
const NOT_GRANTED = "production_granted = false";

describe.each([
  ["a suspended account", "account_suspended", "live", SUSPENDED],
  ["a suspended account in test mode", "account_suspended", "test", SUSPENDED],
  ["a live key without production", "production_access_required", "live", NOT_GRANTED],
] as const)("%s", (_caller, code, mode, change) => {
  const refusal = { status: 403, type: "permission_error", code };
  const restricted = async () => {
    const { accountId, secret } = await harness.newKey(mode);
    await harness.owner.unsafe(
      `update gateway.accounts set ${change} where account_id = '${accountId}'`,
    );
    clock.advance(1_000);
    return secret;
  };

  it("still reads, and is refused a create without an Idempotency-Key, before any fault is reported", async () => {
    const secret = await restricted();
    expect(await statusBy(secret)).toBe(200);
    harness.calls.length = 0;
    for (const init of [
      post(secret, LEAST),
      post(secret, "not json"),
      post(secret, {}),
      post(secret, LEAST, { "idempotency-key": "two words" }),
      post(secret, "x", { "content-type": "text/x" }),
    ])
      expect(await errorOf(harness.send(CREATE, init))).toMatchObject(refusal);
    for (const type of ["image/png", "multipart/form-data; boundary=x"]) {
      const file = post(secret, FILE_FORM, { "content-type": type });
      expect(await errorOf(harness.send("/v1/files", file))).toMatchObject(refusal);
    }
    expect(harness.calls).toEqual([]);
  });

  it("can replay an accepted create, but not make a new one", async () => {
    const init = post(await restricted(), LEAST, { "idempotency-key": "order-1" });
    harness.backends.createVideo = () => ({ generation: video(), replayed: true });
    const repeated = await harness.send(CREATE, init);
    expect([repeated.status, repeated.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
    harness.backends.createVideo = refusing("NOT_FOUND", "no such generation");
    expect(await errorOf(harness.send(CREATE, init))).toMatchObject(refusal);
    const replays = [{ replayOnly: true }, { replayOnly: true }];
    expect(harness.requestsTo("createVideo")).toMatchObject(replays);
  });
});
