/** A stand-in for HAProxy with the settings of compose.yaml: HTTP, round robin, health checks, no retry of a sent request. */
import { once } from "node:events";
import { Agent, createServer, get, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "#runtime/clock.ts";

const CHECK_EVERY_MS = 500;
const CHECK_TIMEOUT_MS = 500;
const FAILURES_UNTIL_DOWN = 2;
const CONNECT_TIMEOUT_MS = 1_000;

type Backend = { url: string; agent: Agent; failures: number; sockets: Set<Socket> };

/** Balances requests to `port` over `urls`. */
export async function startBalancer(
  port: number,
  urls: readonly string[],
): Promise<AsyncDisposable> {
  const stop = new AbortController();
  const backends = urls.map((url): Backend => {
    const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
    return { url, agent, failures: FAILURES_UNTIL_DOWN, sockets: new Set() };
  });
  const checks = backends.map(async (backend) => {
    while (!stop.signal.aborted) {
      if (await isReady(backend.url)) {
        backend.failures = 0;
      } else if (++backend.failures === FAILURES_UNTIL_DOWN) {
        for (const socket of backend.sockets) socket.destroy();
      }
      await systemClock.sleep(CHECK_EVERY_MS, stop.signal);
    }
  });
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const up = backends.filter(({ failures }) => failures < FAILURES_UNTIL_DOWN);
    const start = turn++;
    forward(
      incoming,
      outgoing,
      up.map((_, index) => up[(start + index) % up.length] as Backend),
    );
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      server.close();
      server.closeAllConnections();
      for (const { agent } of backends) agent.destroy();
      await Promise.all(checks);
    },
  };
}

/** Sends a request to the first backend that accepts a connection. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, backends: Backend[]): void {
  const [backend, ...others] = backends;
  if (!backend) {
    outgoing.writeHead(503, { "retry-after": "1" }).end();
    return;
  }
  const { method, url, headers, socket } = incoming;
  const forwarded = { ...headers, "x-forwarded-for": socket.remoteAddress ?? "" };
  const { agent } = backend;
  const sent = request(`${backend.url}${url}`, {
    method: method ?? "GET",
    headers: forwarded,
    agent,
  });
  let isConnected = false;
  const connecting = setTimeout(() => sent.destroy(), CONNECT_TIMEOUT_MS);
  const onConnection = () => {
    isConnected = true;
    clearTimeout(connecting);
    incoming.pipe(sent);
  };
  sent.on("socket", (to) => {
    if (!backend.sockets.has(to)) to.once("close", () => backend.sockets.delete(to));
    backend.sockets.add(to);
    if (to.connecting) to.once("connect", onConnection);
    else onConnection();
  });
  sent.on("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(outgoing);
    response.on("error", () => outgoing.destroy());
  });
  sent.on("error", () => {
    clearTimeout(connecting);
    if (!isConnected) forward(incoming, outgoing, others);
    else if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) sent.destroy();
  });
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const check = get(`${url}/readyz`, { timeout: CHECK_TIMEOUT_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    check.on("timeout", () => check.destroy());
    check.on("error", () => resolve(false));
  });
}
