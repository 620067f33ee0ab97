/** Proxies stored files from delivery, including range requests and ETags. */
import httpProxy from "@fastify/http-proxy";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { REQUEST_ID_HEADER } from "#runtime/rpc/context.ts";
import type { PeerUrls } from "#runtime/service/service.ts";
import { Problem } from "./problem.ts";

/** Storage keys contain no escapes and no segment that begins with a dot, so no other path is a file. */
const PLAIN_PATH = /^\/assets(?:\/[\w-][\w.-]*)+$/;

/** What delivery reads; the client's credentials, and what belongs to its connection, stay here. */
const FORWARDED = ["if-none-match", "if-range", "range"];
/** What belongs to the connection to delivery, and the date, which Node writes. */
const OF_CONNECTION = ["connection", "date", "keep-alive"];

type ProxiedAnswer = { stream: Readable };

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
 * `urls` are delivery's, which differ in their origins only; storage keys are appended after a slash. When one cannot
 * be reached the next is asked, by this request and by those after it.
 */
export function assets(urls: PeerUrls): (app: FastifyInstance) => Promise<void> {
  const { pathname } = new URL(urls[0]);
  const origins = urls.map((url) => new URL(url).origin);
  const origin = (index: number) => origins[index % origins.length] ?? "";
  /** The index of the origin that is asked, and of the last that a request may ask. */
  const asked = new WeakMap<object, { index: number; last: number }>();
  let current = 0;

  const getUpstream = (request: object) => {
    const of = asked.get(request) ?? { index: current, last: current + origins.length - 1 };
    asked.set(request, of);
    return origin(of.index);
  };
  const onError = (reply: FastifyReply, error: Error) => {
    const { request } = reply;
    const of = asked.get(request);
    if (!of || of.index >= of.last) {
      return void reply.send(new Problem("unavailable", { cause: error }));
    }
    if (current === of.index) current += 1;
    of.index += 1;
    return void reply.from(request.url.replace("/assets", pathname), optionsOf(request));
  };
  const optionsOf = (request?: FastifyRequest) => ({
    getUpstream: (raw: object) => getUpstream(request ?? raw),
    rewriteRequestHeaders: ({ id }: { id: unknown }, headers: IncomingHttpHeaders) =>
      forwardedHeaders(headers, String(id)),
    rewriteHeaders: passedHeaders,
    onError: (reply: unknown, { error }: { error: Error }) => onError(reply as FastifyReply, error),
    onResponse: (_request: unknown, reply: unknown, answer: unknown) =>
      pass(reply as FastifyReply, answer as ProxiedAnswer),
  });
  return async (app) => {
    app.addHook("onRequest", async ({ url }) => {
      if (!PLAIN_PATH.test(url.split("?", 1)[0] ?? "")) throw new Problem("route_not_found");
    });
    await app.register(httpProxy, {
      upstream: "",
      prefix: "/assets",
      rewritePrefix: pathname,
      httpMethods: ["GET", "HEAD"],
      disableRequestLogging: true,
      replyOptions: optionsOf(),
    });
  };
}

/** Passes on what delivery answers; its refusals, which are empty, become errors of the document. */
function pass(reply: FastifyReply, { stream }: ProxiedAnswer): FastifyReply {
  const code = REFUSALS[reply.statusCode];
  if (code === undefined) return reply.send(stream);
  stream.resume();
  // These headers describe an answer that is not sent.
  for (const name of ["content-length", "content-type"]) reply.removeHeader(name);
  return reply.send(new Problem(code, { message: MESSAGES[code] }));
}

function forwardedHeaders(headers: IncomingHttpHeaders, requestId: string): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => FORWARDED.includes(name));
  return { ...Object.fromEntries(kept), [REQUEST_ID_HEADER]: requestId };
}

function passedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name));
  return Object.fromEntries(kept);
}
