/** Who may call is decided by the headers alone, over every protocol. */
import { once } from "node:events";
import { connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { SignJWT, importJWK } from "jose";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { accessGate } from "#runtime/rpc/server/access.ts";
import { generateIdentity, tokenVerifier } from "#runtime/rpc/service-token.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { sendByNode } from "../../../support/send-by-node.ts";
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
    const body = { "content-type": "application/json", "content-length": 1_000_000 };
    const init = { method: "POST", headers: { ...body, authorization: "Bearer x" } };
    const sent = sendByNode(`${server.url}${PATH}`, init, (sending) => sending.flushHeaders());
    const message = expect.stringContaining("the service token is malformed") as string;
    expect(await sent).toMatchObject({ status: 401, body: message });
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

// What else is refused, and who may call what: test/contract/proto.
describe("a token", () => {
  /** Whether billing accepts tokens of the gateway, whose key has this id, that say `claims`. */
  async function fixture(kid = "one") {
    const { privateKey, publicKey } = await generateIdentity("gateway");
    const clock = manualClock();
    const iat = Math.floor(clock.now().getTime() / 1000);
    const sign = async (claims: Record<string, unknown>) =>
      new SignJWT({ sub: "gateway", aud: "billing", iat, exp: iat + 3_600, ...claims })
        .setProtectedHeader({ alg: "EdDSA", kid })
        .sign(await importJWK(privateKey, "EdDSA"));
    const verify = tokenVerifier({ keys: [{ ...publicKey, kid }] }, "billing", clock);
    return { clock, verify, sign };
  }

  it("is refused when it is five minutes old, also if it was accepted before", async () => {
    const { clock, verify, sign } = await fixture();
    const token = await sign({});
    clock.advance(299_000);
    expect(await verify(token)).toEqual(GATEWAY);
    clock.advance(1_000);
    await expect(verify(token)).rejects.toThrow("too old");
  });

  it("is refused with what is wrong with it", async () => {
    const { verify, sign } = await fixture();
    const { sign: signByAnother } = await fixture("another");
    await expect(verify(await sign({ aud: "delivery" }))).rejects.toThrow("is not for billing");
    await expect(verify(await sign({ exp: 1 }))).rejects.toThrow("is too old");
    await expect(verify(await signByAnother({}))).rejects.toThrow("not signed by a trusted key");
  });

  it("names its caller, whatever the id of its key", async () => {
    const { verify, sign } = await fixture("ops");
    expect(await verify(await sign({}))).toEqual(GATEWAY);
    for (const sub of ["ops", "x"]) {
      await expect(verify(await sign({ sub }))).rejects.toThrow("key may not sign");
    }
  });
});
