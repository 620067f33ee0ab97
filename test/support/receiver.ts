/** A webhook receiver on the loopback interface, and secrets to verify what it receives. */
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { secretText } from "../../services/delivery/domain/signature.ts";
import { startHttp } from "./http-server.ts";

export type Received = { headers: IncomingHttpHeaders; body: Buffer };
/** A number is a status without more, and a promise an answer that comes later. */
export type Reply = number | { status: number; headers?: Record<string, string>; body?: string };
export type Replies = readonly (Reply | Promise<Reply>)[];

/** Starts a receiver that responds with `replies` in order, and then with 200. */
export async function startReceiver(...replies: Replies) {
  const left = replies.values();
  const received: Received[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = await startHttp((request, response) => {
    // A sender may be cut off within its request.
    void buffer(request).then(
      async (body) => {
        received.push({ headers: request.headers, body });
        arrived.resolve();
        arrived = Promise.withResolvers();
        const next = (await left.next().value) ?? 200;
        const reply = typeof next === "number" ? { status: next } : next;
        response.writeHead(reply.status, reply.headers).end(reply.body);
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
