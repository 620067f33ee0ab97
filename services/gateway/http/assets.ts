/** Stored files, passed through from delivery as they come: ranges, tags and all. */
import httpProxy from "@fastify/http-proxy";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { IncomingHttpHeaders } from "node:http";
import { REQUEST_ID_HEADER } from "#runtime/rpc/interceptors.ts";
import { Problem } from "../problem.ts";

/** Keys need no escapes, and no part of one begins with a dot: no other path leads to a file. */
const PLAIN_PATH = /^\/assets(?:\/[\w-][\w.-]*)+$/;

/** `assetsUrl` is what a storage key is appended to at delivery, after a slash. */
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
        rewriteRequestHeaders: (request, headers) => ownHeaders(headers, String(request.id)),
        onError: (reply, { error }) => {
          void (reply as FastifyReply).send(new Problem("unavailable", { cause: error }));
        },
      },
    });
  };
}

/** Files are public: what a client sends to prove who it is stays here. */
function ownHeaders(headers: IncomingHttpHeaders, requestId: string): IncomingHttpHeaders {
  const { authorization: _authorization, cookie: _cookie, ...rest } = headers;
  return { ...rest, [REQUEST_ID_HEADER]: requestId };
}
