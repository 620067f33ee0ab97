/** Who may call is decided by the headers alone, over every protocol. */
import { once } from "node:events";
import { connect } from "node:http2";
import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { SignJWT, importJWK } from "jose";
import { describe, expect, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { accessGate } from "#runtime/rpc/server/access.ts";
import { overHttp, tokenInterceptor } from "#runtime/rpc/client/client.ts";
import {
  generateIdentity,
  type ServiceKey,
  ownToken,
  tokenIssuer,
  tokenVerifier,
} from "#runtime/rpc/service-token.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { serveRpc } from "../../../support/rpc-server.ts";

const GATEWAY = { name: "gateway", isInternal: false };
const PATH = `/${BillingService.typeName}/${BillingService.method.reserve.name}`;

describe("a caller that may not call", () => {
  const keys = { keys: [] };
  const serve = () =>
    serveRpc((router) => router.service(BillingService, {}), {
      gate: accessGate(tokenVerifier(keys, "billing", manualClock())),
    });

  it("is answered over HTTP/1.1 before it has sent its body", async () => {
    await using server = await serve();
    const headers = { "content-type": "application/json", "content-length": 1_000_000 };
    const sending = request(`${server.url}${PATH}`, { method: "POST", headers });
    sending.on("error", () => {});
    sending.flushHeaders();
    const [response] = (await once(sending, "response")) as [{ statusCode: number }];
    expect(response.statusCode).toBe(401);
    sending.destroy();
  });

  it.each([
    ["application/grpc", "grpc-status", "16"],
    ["application/proto", ":status", 401],
  ])("is answered over HTTP/2 with %s before it has sent its body", async (type, name, value) => {
    await using server = await serve();
    const session = connect(server.url);
    const stream = session.request({ ":method": "POST", ":path": PATH, "content-type": type });
    const told: Record<string, unknown> = {};
    stream.on("response", (headers) => Object.assign(told, headers));
    stream.on("trailers", (headers) => Object.assign(told, headers));
    stream.resume();
    await once(stream, "end");
    expect(told[name]).toBe(value);
    session.destroy();
  });
});

describe("the health service, which needs no token", () => {
  const call = async (server: { url: string }, headers: Record<string, string>, body: Buffer) => {
    const session = connect(server.url);
    session.on("error", () => {});
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/proto",
      ...headers,
    });
    stream.on("error", () => {});
    const [answer] = (await once(stream.end(body), "response")) as [Record<string, unknown>];
    session.destroy();
    return answer[":status"];
  };
  /** Unknown fields of the protocol, which are skipped one by one. */
  const unknownFields = (bytes: number) => Buffer.alloc(bytes, Buffer.from([0x78, 0x01]));

  it("takes 1 kB, and reads no more of a larger message", async () => {
    await using server = await serveRpc(() => {});
    expect(await call(server, {}, unknownFields(1_024))).toBe(200);
    expect(await call(server, {}, unknownFields(1_026))).toBe(429);
    expect(await call(server, {}, unknownFields(8_000_000))).toBe(429);
  });

  it("unpacks nothing, as no service does", async () => {
    await using server = await serveRpc((router) => router.service(BillingService, {}));
    const packed = { "content-encoding": "gzip" };
    expect(await call(server, packed, gzipSync(unknownFields(1_024)))).toBe(501);
    expect(await call(server, { ...packed, ":path": PATH }, gzipSync(Buffer.alloc(9)))).toBe(501);
  });
});

describe("a caller with a token of the operator", () => {
  it("reads, and does nothing that the gateway or an operator may do", async () => {
    const { privateKey, publicKey } = await generateIdentity("ops");
    const clock = manualClock();
    const keys = { keys: [publicKey] };
    const done = () => ({});
    await using server = await serveRpc(
      (router) => router.service(BillingService, { getBalance: done, recharge: done }),
      { gate: accessGate(tokenVerifier(keys, "billing", clock)) },
    );
    const issue = tokenIssuer(privateKey, clock);
    const callAs = async (caller: string, rpc: "getBalance" | "recharge") => {
      const token = await issue({ caller, audience: "billing" });
      using http = overHttp([server.url]);
      const billing = createClient(
        BillingService,
        http.connect([tokenInterceptor(async () => token)]),
      );
      return await billing[rpc]({}).then(
        () => "done",
        (error: unknown) => Code[ConnectError.from(error).code],
      );
    };
    const outcomes = (caller: string) =>
      Promise.all([callAs(caller, "getBalance"), callAs(caller, "recharge")]);
    expect(await outcomes("reports")).toEqual(["done", "PermissionDenied"]);
    expect(await outcomes("ops")).toEqual(["done", "done"]);
    // The names of services and of the group itself give nothing more.
    expect(await outcomes("gateway")).toEqual(["done", "PermissionDenied"]);
    expect(await outcomes("internal")).toEqual(["done", "PermissionDenied"]);
  });
});

describe("a token", () => {
  /** Whether billing accepts tokens of the gateway that say `claims`, signed at the time of `clock`. */
  async function fixture(publicOf: (key: ServiceKey) => ServiceKey = (key) => key) {
    const { privateKey, publicKey } = await generateIdentity("gateway");
    const trusted = { keys: [publicOf(publicKey)] };
    const clock = manualClock();
    const key = publicOf(privateKey);
    const nowSeconds = () => Math.floor(clock.now().getTime() / 1000);
    const verify = tokenVerifier(trusted, "billing", clock);
    const sign = async (claims: Record<string, unknown>) => {
      const iat = nowSeconds();
      const all = { sub: "gateway", iat, exp: iat + 300, ...claims };
      const header = { alg: "EdDSA", kid: key.kid ?? "" };
      return new SignJWT(all).setProtectedHeader(header).sign(await importJWK(key, "EdDSA"));
    };
    return { key, trusted, clock, nowSeconds, verify, sign };
  }

  it("is valid for the service that it names, and for no other", async () => {
    const { key, trusted, clock, verify } = await fixture();
    const token = await ownToken(key, "billing", clock)();
    expect(await verify(token)).toEqual(GATEWAY);
    const elsewhere = tokenVerifier(trusted, "delivery", clock);
    await expect(elsewhere(token)).rejects.toThrow('unexpected "aud" claim value');
  });

  it("is refused when it is five minutes old, also if it was accepted before", async () => {
    const { clock, nowSeconds, verify, sign } = await fixture();
    const token = await sign({ aud: "billing", exp: nowSeconds() + 3_600 });
    clock.advance(299_000);
    expect(await verify(token)).toEqual(GATEWAY);
    clock.advance(1_000);
    await expect(verify(token)).rejects.toThrow("too old");
  });

  it("of the operator makes an internal caller of a name without a key, and of no other name", async () => {
    const { privateKey, publicKey } = await generateIdentity("ops");
    const { publicKey: gateway } = await generateIdentity("gateway");
    const keys = { keys: [publicKey, gateway] };
    const clock = manualClock();
    const verify = tokenVerifier(keys, "billing", clock);
    const tokenOf = (caller: string) =>
      tokenIssuer(privateKey, clock)({ caller, audience: "billing" });
    expect(await verify(await tokenOf("reports"))).toEqual({ name: "reports", isInternal: true });
    expect(await verify(await tokenOf("ops"))).toEqual({ name: "ops", isInternal: false });
    await expect(verify(await tokenOf("gateway"))).rejects.toThrow("may not sign");
  });

  it("names its caller, whatever the id of its key", async () => {
    const { trusted, verify, sign } = await fixture((key) => ({ ...key, kid: "ops" }));
    expect(trusted.keys[0]?.kid).toBe("ops");
    expect(await verify(await sign({ aud: "billing" }))).toEqual(GATEWAY);
    await expect(verify(await sign({ aud: "billing", sub: "ops" }))).rejects.toThrow(
      "may not sign",
    );
    await expect(verify(await sign({ aud: "billing", sub: "x" }))).rejects.toThrow("may not sign");
  });
});
