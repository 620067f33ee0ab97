/** Upstreams' callbacks: forwarded exactly, or refused. */
import { sendByNode } from "../../../support/send-by-node.ts";
import { refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf } from "../../requests.ts";

const TOKEN = `${"n".repeat(130)}.${"s".repeat(22)}`;

const harness = useHarness();

const call = (token: string, init: RequestInit = {}) =>
  harness.send(`/callbacks/${token}`, { method: "POST", ...init });

const received = () => harness.requestsTo("receiveCallback");

describe("an upstream's callback", () => {
  it.each([
    ["JSON", '{ "status" : "OK"}\n', "application/json"],
    ["bytes of any type", Buffer.from([0, 255, 10]), "application/x-anything"],
    ["nothing", undefined, undefined],
  ])("of %s is forwarded byte by byte, and the response is empty", async (_what, body, type) => {
    const headers = {
      "X-Fal-Webhook-Signature": "ab12",
      authorization: "Bearer x",
      ...(type === undefined ? {} : { "content-type": type }),
    };
    const response = await call(TOKEN, { headers, ...(body === undefined ? {} : { body }) });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    const [request] = received();
    expect(request?.token).toBe(TOKEN);
    expect(Buffer.from(request?.body ?? [])).toEqual(Buffer.from(body ?? ""));
    expect(request?.headers).toMatchObject({ "x-fal-webhook-signature": "ab12" });
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  it("at a URL that was never issued is 404, whether the gateway or generation refuses it", async () => {
    for (const token of ["x", `${TOKEN}x`, TOKEN.replace(".", "%2E."), "a/b"]) {
      expect((await call(token)).status).toBe(404);
    }
    expect((await harness.send(`/callbacks/${TOKEN}`)).status).toBe(404);
    expect(received()).toEqual([]);
    harness.backends.receiveCallback = refusing("NOT_FOUND", "no");
    expect(await errorOf(call(TOKEN))).toMatchObject({ status: 404, code: "route_not_found" });
  });

  it("with a forged token is 404 before its body is sent", async () => {
    harness.backends.checkCallback = refusing("NOT_FOUND", "no");
    const headers = { "content-type": "application/json", "content-length": 1024 * 1024 };
    const init = { method: "POST", headers };
    const refused = sendByNode(`${harness.url}/callbacks/${TOKEN}`, init, (s) => s.flushHeaders());
    expect((await refused).status).toBe(404);
    expect(received()).toEqual([]);
  });

  it("is refused above 1 MiB, and its token is not logged", async () => {
    expect((await call(TOKEN, { body: Buffer.alloc(1024 * 1024) })).status).toBe(204);
    expect((await call(TOKEN, { body: Buffer.alloc(1024 * 1024 + 1) })).status).toBe(413);
    expect(JSON.stringify(harness.logLines)).not.toContain(TOKEN);
  });

  it("is 503 when it could not be forwarded, so that the upstream retries", async () => {
    harness.backends.receiveCallback = refusing("UNAVAILABLE", "down");
    expect((await call(TOKEN)).status).toBe(503);
  });
});
