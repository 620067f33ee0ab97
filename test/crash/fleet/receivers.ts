/** Receivers of webhooks that record every call, and refuse some. */
import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { startHttp } from "../../support/http-server.ts";
import type { Random } from "./seed.ts";

export type Call = {
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** What the receiver answered. */
  status: number;
};

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** One call in this many is refused with 500, so that a second attempt must follow. */
const REFUSE_ONE_IN = 40;

/** Several servers, so that senders have several hosts. */
export async function startReceivers(count: number, random: Random) {
  await using stack = new AsyncDisposableStack();
  const calls = new Map<string, Call[]>();
  const refused = new Set<string>();
  const urls: string[] = [];
  for (let number = 0; number < count; number++) {
    const server = await startHttp((request, response) => {
      // A sender may be cut off within its request.
      void buffer(request).then(
        (body) => {
          const { headers, url = "" } = request;
          const accountId = url.slice("/hooks/".length);
          const id = String(headers["webhook-id"]);
          // At most once for an event: the third attempt comes minutes later.
          const isRefused = !refused.has(id) && random.integer(1, REFUSE_ONE_IN) === 1;
          if (isRefused) refused.add(id);
          const status = isRefused ? 500 : 204;
          const call = { headers, body, status };
          calls.set(accountId, [...(calls.get(accountId) ?? []), call]);
          response.writeHead(status).end();
        },
        () => {},
      );
    });
    stack.use(server);
    urls.push(server.url);
  }
  const running = stack.move();
  return {
    calls,
    /** `accountId` is part of the address, so that a call tells whose secret must have signed it. */
    urlOf: (accountId: string) =>
      `${urls[accountId.charCodeAt(accountId.length - 1) % count]}/hooks/${accountId}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
