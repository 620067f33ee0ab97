import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { ReceiveCallbackRequest } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { startHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

const TOKEN = `${"n".repeat(130)}.${"s".repeat(22)}`;

let h: Harness;
beforeAll(async () => {
  h = await startHarness();
});
afterAll(() => h[Symbol.asyncDispose]());

const call = (token: string, init: RequestInit = {}) =>
  h.send(`/callbacks/${token}`, { method: "POST", ...init });

const received = () =>
  h.calls
    .filter(({ method }) => method === "receiveCallback")
    .map(({ request }) => request as ReceiveCallbackRequest);

describe("an upstream's callback", () => {
  it.each([
    ["JSON", '{ "status" : "OK"}\n', "application/json"],
    ["bytes of any type", Buffer.from([0, 255, 10]), "application/x-anything"],
    ["nothing", undefined, undefined],
  ])("of %s is passed on byte by byte, and answered with nothing", async (_what, body, type) => {
    h.calls.length = 0;
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

  it("at an address that was never given out is not found, whoever notices", async () => {
    h.calls.length = 0;
    for (const token of ["x", `${TOKEN}x`, TOKEN.replace(".", "%2E."), "a/b"]) {
      expect((await call(token)).status).toBe(404);
    }
    expect((await h.send(`/callbacks/${TOKEN}`)).status).toBe(404);
    expect(received()).toEqual([]);
    h.behind.receiveCallback = () => {
      throw refusal({ reason: ErrorReason.NOT_FOUND, message: "no" });
    };
    const response = await call(TOKEN);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "route_not_found" } });
  });

  it("is refused over 1 MiB, and leaves nothing of its address in the log", async () => {
    h.behind.receiveCallback = () => ({});
    expect((await call(TOKEN, { body: Buffer.alloc(1024 * 1024) })).status).toBe(204);
    expect((await call(TOKEN, { body: Buffer.alloc(1024 * 1024 + 1) })).status).toBe(413);
    expect(JSON.stringify(h.logged)).not.toContain(TOKEN);
  });

  it("is to be sent again where it could not be passed on", async () => {
    h.behind.receiveCallback = () => {
      throw refusal({ reason: ErrorReason.UNAVAILABLE, message: "down" });
    };
    expect((await call(TOKEN)).status).toBe(503);
  });
});
