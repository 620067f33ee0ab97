/** Passes on stored files from delivery, including range requests and ETags. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { IncomingHttpHeaders } from "node:http";
import { Agent, request, type Dispatcher } from "undici";
import { REQUEST_ID_HEADER } from "#runtime/rpc/context.ts";
import type { PeerUrls } from "#runtime/service/service.ts";
import { Problem } from "./problem.ts";

const PREFIX = "/assets";
/** Storage keys contain no escapes and no segment that begins with a dot, so no other path is a file. */
const PLAIN_PATH = /^\/assets(?:\/[\w-][\w.-]*)+$/;

/** What delivery reads; the client's credentials, and what belongs to its connection, stay here. */
const FORWARDED = ["if-none-match", "if-range", "range"];
/** What belongs to the connection to delivery, and the date, which Node writes. */
const OF_CONNECTION = ["connection", "date", "keep-alive", "transfer-encoding"];
/** To one replica of delivery. A frozen one takes connections and answers nothing. */
const CONNECTIONS = { connections: 128, connect: { timeout: 3_000 }, bodyTimeout: 60_000 };
/** Delivery's storage has 10 s for each of its answers. */
const ANSWERS_WITHIN_MS = 15_000;

const REFUSALS: Readonly<Record<number, "route_not_found" | "gone" | "unavailable">> = {
  404: "route_not_found",
  410: "gone",
  503: "unavailable",
};
const MESSAGES = {
  route_not_found: "There is no file at this URL. Use a URL from the output of a generation.",
  gone: "The file was deleted.",
  unavailable: "The file cannot be read now. Try again as Retry-After says.",
};

/**
 * `urls` are delivery's; storage keys are appended after a slash. When one does not answer within `headersTimeout` ms the
 * next is asked, by this request and by those after it.
 */
export function assets(
  urls: PeerUrls,
  headersTimeout = ANSWERS_WITHIN_MS,
): (app: FastifyInstance) => Promise<void> {
  const dispatcher = new Agent({ ...CONNECTIONS, headersTimeout });
  /** Counts on where the URLs end. */
  let current = 0;
  const ask = async ({ id, url, method, headers }: FastifyRequest) => {
    const options = {
      dispatcher,
      method: method as Dispatcher.HttpMethod,
      headers: forwardedHeaders(headers, id),
    };
    const first = current;
    let cause: unknown;
    for (let index = first; index < first + urls.length; index += 1) {
      try {
        return await request(`${urls[index % urls.length]}${url.slice(PREFIX.length)}`, options);
      } catch (error) {
        cause = error;
        if (current === index) current += 1;
      }
    }
    throw new Problem("unavailable", { cause });
  };
  return async (app) => {
    app.addHook("onClose", () => dispatcher.destroy());
    app.route({
      method: ["GET", "HEAD"],
      url: `${PREFIX}/*`,
      handler: async (asked, reply) => {
        if (!PLAIN_PATH.test(asked.url.split("?", 1)[0] ?? ""))
          throw new Problem("route_not_found");
        const { statusCode, headers, body } = await ask(asked);
        void reply.headers(passedHeaders(headers));
        const code = REFUSALS[statusCode];
        if (code === undefined) return reply.code(statusCode).send(body);
        await body.dump();
        // These headers describe an answer that is not sent.
        void reply.removeHeader("content-length").removeHeader("content-type");
        throw new Problem(code, { message: MESSAGES[code] });
      },
    });
  };
}

function forwardedHeaders(headers: IncomingHttpHeaders, requestId: string): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => FORWARDED.includes(name));
  return { ...Object.fromEntries(kept), [REQUEST_ID_HEADER]: requestId };
}

function passedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name));
  return Object.fromEntries(kept);
}
