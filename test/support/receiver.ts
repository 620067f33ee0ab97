/** A webhook receiver on the loopback interface, and secrets to verify what it receives. */
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { secretText } from "../../services/delivery/domain/signature.ts";
import { startHttp } from "./http-server.ts";

export type Received = { headers: IncomingHttpHeaders; body: Buffer };
export type Reply = { status: number; headers?: Record<string, string>; body?: string };

/** Starts a receiver that responds with `replies` in order, and then with 200. */
export async function startReceiver(...replies: Reply[]) {
  const received: Received[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = await startHttp((request, response) => {
    // A sender may be cut off within its request.
    void buffer(request).then(
      (body) => {
        received.push({ headers: request.headers, body });
        const reply = replies.shift() ?? { status: 200 };
        response.writeHead(reply.status, reply.headers).end(reply.body);
        arrived.resolve();
        arrived = Promise.withResolvers();
      },
      () => {},
    );
  });
  return {
    url: `${server.url}/hook`,
    received,
    /** Resolves when `count` requests have been received. */
    async has(count: number): Promise<void> {
      while (received.length < count) await arrived.promise;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A signing secret that nothing else has. */
export function newSecret(): string {
  return secretText(randomBytes(32));
}
