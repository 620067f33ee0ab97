/** Proxies stored files from delivery, including range requests and ETags. */
import httpProxy from "@fastify/http-proxy";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { IncomingHttpHeaders } from "node:http";
import { REQUEST_ID_HEADER } from "#runtime/rpc/interceptors.ts";
import { Problem } from "../problem.ts";

/** Storage keys contain no escapes and no segment that begins with a dot, so no other path is a file. */
const PLAIN_PATH = /^\/assets(?:\/[\w-][\w.-]*)+$/;

/** `assetsUrl` is delivery's URL to which storage keys are appended after a slash. */
export function assets(assetsUrl: string): (app: FastifyInstance) => Promise<void> {
  const { origin, pathname } = new URL(assetsUrl);
  return async (app) => {
    app.addHook("onRequest", async ({ url }) => {
      if (!PLAIN_PATH.test(url.split("?", 1)[0] ?? "")) throw new Problem("route_not_found");
    });
    await app.register(httpProxy, {
      upstream: origin,
      prefix: "/assets",
      rewritePrefix: pathname,
      httpMethods: ["GET", "HEAD"],
      disableRequestLogging: true,
      replyOptions: {
        rewriteRequestHeaders: (request, headers) => forwardedHeaders(headers, String(request.id)),
        onError: (reply, { error }) => {
          void (reply as FastifyReply).send(new Problem("unavailable", { cause: error }));
        },
      },
    });
  };
}

/** Files are public, so the client's credentials are not forwarded. */
function forwardedHeaders(headers: IncomingHttpHeaders, requestId: string): IncomingHttpHeaders {
  const { authorization: _authorization, cookie: _cookie, ...rest } = headers;
  return { ...rest, [REQUEST_ID_HEADER]: requestId };
}
