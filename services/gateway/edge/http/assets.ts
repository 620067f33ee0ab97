/** Passes on stored files from delivery, including range requests and ETags. */
import type { FastifyInstance } from "fastify";
import type { IncomingHttpHeaders } from "node:http";
import { REQUEST_ID_HEADER } from "#runtime/rpc/context.ts";
import { Problem } from "./problem.ts";
import type { StoredFiles } from "./stored-files.ts";

const PREFIX = "/assets";
/** Storage keys contain no escapes and no segment that begins with a dot, so no other path is a file. */
const PLAIN_PATH = /^\/assets(?:\/[\w-][\w.-]*)+$/;

/** What delivery reads; the client's credentials, and what belongs to its connection, stay here. */
const FORWARDED = [
  "access-control-request-headers",
  "access-control-request-method",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "range",
];
/** What belongs to the connection to delivery, and the date, which Node writes. */
const OF_CONNECTION = ["connection", "date", "keep-alive", "transfer-encoding"];
/** Headers that describe an answer that is not sent. */
const OF_BODY = ["content-length", "content-type"];

export function assets(files: StoredFiles): (app: FastifyInstance) => Promise<void> {
  return async (app) => {
    app.route({
      method: ["GET", "HEAD", "OPTIONS"],
      url: `${PREFIX}/*`,
      handler: async ({ id, url, method, headers: sent }, reply) => {
        if (!PLAIN_PATH.test(url.split("?", 1)[0] ?? "")) throw new Problem("route_not_found");
        const { statusCode, headers, body } = await files.read(url.slice(PREFIX.length), {
          method: method as "GET" | "HEAD" | "OPTIONS",
          headers: { ...only(sent, (name) => FORWARDED.includes(name)), [REQUEST_ID_HEADER]: id },
          onRefusal: (refused) =>
            void reply.headers(passed(refused, [...OF_CONNECTION, ...OF_BODY])),
        });
        return reply.headers(passed(headers, OF_CONNECTION)).code(statusCode).send(body);
      },
    });
  };
}

function passed(headers: IncomingHttpHeaders, kept: readonly string[]): IncomingHttpHeaders {
  return only(headers, (name) => !kept.includes(name));
}

function only(headers: IncomingHttpHeaders, isTaken: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isTaken(name)));
}
