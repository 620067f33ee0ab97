/** Connections to an RPC port over which nobody makes a call with a valid token do not stay open. */
import { once } from "node:events";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { createClient, Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { callerKey, type Gate } from "#runtime/rpc/server/access.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { serveRpc } from "../../../support/rpc-server.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0";
const HALF = "GET /metrics HTTP/1.1\r\n";
const WHOLE = `${HALF}Host: a\r\n\r\n`;

/** Whoever sends `knows: yes` is known. */
const gate: Gate = async ({ requestHeader, values }) => {
  if (requestHeader.get("knows") !== "yes") throw new ConnectError("no", Code.Unauthenticated);
  values.set(callerKey, "generation");
};

const serve = (options: Parameters<typeof serveRpc>[1]) =>
  serveRpc((router) => router.service(BillingService, { getBalance: () => ({}) }), {
    gate,
    ...options,
  });

const balance = (http: ReturnType<typeof overHttp>, knows = "yes") =>
  createClient(BillingService, http.connect([])).getBalance({}, { headers: { knows } });

/** A connection over which all of `text` has come to the server, and has been read. */
async function openWith(url: string, text: string): Promise<{ closed: () => boolean }> {
  const socket: Socket = connect(Number(new URL(url).port), "127.0.0.1");
  let isClosed = false;
  socket.on("error", () => {}).on("close", () => (isClosed = true));
  await once(socket, "connect");
  socket.write(text);
  // What is whole has an answer.
  if (text === WHOLE || text === PREFACE) await once(socket, "data");
  else await fetch(`${url}/metrics`);
  socket.resume();
  return { closed: () => isClosed };
}

describe("an RPC port", () => {
  it.each([
    ["has sent nothing", ""],
    ["has sent one byte", "G"],
    ["has sent half of its first request", HALF],
    ["has sent half of a second request", `${WHOLE}${HALF}`],
    ["has begun HTTP/2 only", PREFACE],
  ])("closes a connection after 10 s that %s, and no caller's", async (_what, text) => {
    const clock = manualClock();
    await using server = await serve({ clock });
    using caller = overHttp([server.url]);
    await balance(caller);
    const silent = await openWith(server.url, text);
    clock.advance(9_000);
    await balance(caller);
    expect(silent.closed()).toBe(false);
    clock.advance(1_000);
    await expect.poll(silent.closed).toBe(true);
    await expect(balance(caller)).resolves.toBeDefined();
  });

  it("closes the oldest connection without a caller for each beyond the most that it may have", async () => {
    await using server = await serve({ clock: manualClock(), maxConnections: 4 });
    using caller = overHttp([server.url]);
    await balance(caller);
    const first = await openWith(server.url, PREFACE);
    const others = [];
    while (others.length < 4) others.push(await openWith(server.url, PREFACE));
    await expect.poll(first.closed).toBe(true);
    await expect(balance(caller)).resolves.toBeDefined();
    expect(others.filter((one) => !one.closed())).toHaveLength(3);
  });

  it("closes a session over HTTP/2 whose calls have no valid token, and keeps the one of a caller", async () => {
    const clock = manualClock();
    await using server = await serve({ clock });
    const open = async (knows: string) => {
      const session = connectHttp2(server.url);
      const path = "/media.billing.v1.BillingService/GetBalance";
      const json = { "content-type": "application/json", "connect-protocol-version": "1", knows };
      const call = session.request({ ":method": "POST", ":path": path, ...json });
      const [headers] = (await once(call.end("{}").resume(), "response")) as [IncomingHttpHeaders];
      return { session, status: headers[":status"] };
    };
    const [stranger, caller] = [await open("no"), await open("yes")];
    expect([stranger.status, caller.status]).toEqual([401, 200]);
    clock.advance(10_000);
    await expect.poll(() => stranger.session.closed).toBe(true);
    expect(caller.session.closed).toBe(false);
    caller.session.destroy();
  });
});
