/** The HTTP of an RPC server: connections over which nobody is calling. */
import { once } from "node:events";
import { connect } from "node:net";
import { serveRpc } from "../../../support/rpc-server.ts";

it.each([
  ["has sent nothing", ""],
  ["has sent half a request", "GET /metrics HTTP/1.1\r\nHost: a\r\n"],
  ["is kept alive after a request", "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"],
])("closes, when it stops, a connection that %s", async (_state, sent) => {
  const server = await serveRpc(() => {});
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  const closed = once(socket, "close");
  socket.write(sent);
  if (sent.endsWith("\r\n\r\n")) await once(socket, "data");
  // A round trip on another connection: the server has read what was sent before.
  else await fetch(`${server.url}/metrics`);
  socket.resume();
  await server[Symbol.asyncDispose]();
  await expect(closed).resolves.toBeDefined();
});

it("names the variable of a port that is taken", async () => {
  await using server = await serveRpc(() => {});
  const second = serveRpc(() => {}, { port: Number(new URL(server.url).port) });
  await expect(second).rejects.toThrow("RPC_PORT must be another");
});
