/** Connections for load, each for one request at a time: they cost the machine far less than an HTTP client does. */
import { once } from "node:events";
import { connect } from "node:net";

const HEAD_END = "\r\n\r\n";
const LENGTH = "content-length: ";

export type Received = {
  status: number;
  /** Without the body, in lower case. */
  head: string;
  body: () => string;
};

export type KeptAlive = ReturnType<typeof keepAlive>;

/** A whole request to this machine, as it is sent. */
export function requestText(
  method: "GET" | "POST",
  path: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): string {
  const length = body === "" ? {} : { "Content-Length": Buffer.byteLength(body) };
  const all = Object.entries({ Host: "localhost", ...headers, ...length });
  const lines = all.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n");
}

/**
 * Connects to a port of this machine. Each answer must have a Content-Length. The connection breaks when it is silent for
 * `timeoutMs`; 0 is no limit.
 */
export function keepAlive(port: number, timeoutMs: number) {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const closed = once(socket, "close");
  // The error of `once` is that of the request in progress.
  closed.catch(() => undefined);
  let answer: PromiseWithResolvers<Received> | undefined;
  let received: Buffer | undefined;
  let fault = new Error("the server closed a connection");
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error("there was no answer in time")));
  socket.once("error", (error) => (fault = error));
  socket.once("close", () => answer?.reject(fault));
  socket.on("data", (chunk: Buffer) => {
    received = received ? Buffer.concat([received, chunk]) : chunk;
    const headBytes = received.indexOf(HEAD_END);
    if (headBytes < 0) return;
    const head = received.toString("latin1", 0, headBytes).toLowerCase();
    const bodyBytes = Number.parseInt(head.slice(head.indexOf(LENGTH) + LENGTH.length), 10);
    const bodyAt = headBytes + HEAD_END.length;
    if (received.length < bodyAt + bodyBytes) return;
    const whole = received;
    received = undefined;
    const status = Number(head.split(" ", 2)[1]);
    answer?.resolve({ status, head, body: () => whole.toString("utf8", bodyAt) });
  });
  return {
    /** Sends a whole request, once the last one is answered. Rejects when the connection breaks. */
    async request(request: Buffer) {
      if (socket.closed) throw fault;
      answer = Promise.withResolvers();
      socket.write(request);
      return answer.promise;
    },
    isClosed: () => socket.destroyed,
    /** Resolves when the connection has closed. */
    async end() {
      socket.end();
      await closed;
    },
  };
}
