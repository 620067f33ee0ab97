/** MCP at /mcp: admits requests by API key, and hands them to the tools, which are loaded with the first one. */
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { parseBody } from "../http/json-body.ts";
import { limitLoad } from "../http/app-hooks.ts";
import { Problem } from "../http/problem.ts";
import { acceptBytes, admitBody } from "../http/upload.ts";
import { callerOf, type Call } from "../http/request-state.ts";
import { admitByKey } from "../operations/operation.ts";
import { closedSignal } from "../waiting/prefer-wait.ts";
import { callApi } from "./tool.ts";
import type { Deps } from "../operations/deps.ts";
import type { ServeMcp } from "./serve.ts";

const PATH = "/mcp";
/** What a client has to accept, as the library compares it. */
const ANSWERS = ["application/json", "text/event-stream"];
/** A picture of 3 MB in base64, and what is around it. */
export const MAX_MCP_BODY_BYTES = 4 * 1024 * 1024;
/** What is larger takes several times its size in memory, so that an account has one such body at a time. */
const LARGE_BYTES = 256 * 1024;
/** Of the end of an answer: the limits, the counts, and those of a stream. */
const MAX_LISTENERS = 20;
const PARSE_ERROR = -32_700;

export function mcp(deps: Deps): (app: FastifyInstance) => Promise<void> {
  // What a tool asks of the REST API counts there as well.
  const admit = admitByKey(deps, "reads");
  let serving: Promise<ServeMcp> | undefined;
  const takeTurn = largeTurns();
  const load = () => (serving ??= import("./serve.ts").then(({ serveMcp }) => serveMcp(deps)));
  return async (app) => {
    limitLoad(app, deps.loadLimits("api"), ({ caller }) => caller?.accountId);
    app.addHook("onRequest", async (request, reply) => {
      const refused = await admit(request, reply);
      if (refused) throw refused;
    });
    app.addHook("preParsing", async (request, reply) => {
      if (request.method === "POST") admitBody(deps.uploads, request, reply, LIMIT);
    });
    app.removeAllContentTypeParsers();
    acceptBytes(app, LIMIT);
    const route: Omit<RouteOptions, "url"> = {
      method: ["GET", "POST", "DELETE"],
      config: { operationId: "mcp" },
      handler: async (request, reply) => {
        let endTurn = () => {};
        if (request.body instanceof Buffer && request.body.length > LARGE_BYTES) {
          request.turn?.pause();
          endTurn = await takeTurn(callerOf(request).accountId, reply.raw);
          request.turn?.resume();
        }
        let message: unknown;
        try {
          message = messageOf(request);
        } catch (error) {
          if (!(error instanceof Problem) || error.code !== "invalid_json") throw error;
          request.refusal = { code: error.code };
          // The protocol's error for a request of which no message was read.
          const refused = { code: PARSE_ERROR, message: error.message };
          return reply.code(400).send({ jsonrpc: "2.0", error: refused, id: null });
        }
        // What takes time is the request to the API, which has a turn of its own.
        request.turn?.pause();
        const serve = await load();
        const call = { deps, request, reply };
        const of = { ...call, api: callApi(app, request, endTurn), message };
        return send(reply, await serve(webRequest(call), of));
      },
    };
    // Some clients add a slash to the address that they are given.
    for (const url of [PATH, `${PATH}/`]) app.route({ ...route, url });
  };
}

/** The versions of the protocol that are served have one message in a request; many would count as one. */
function messageOf({ method, body }: FastifyRequest): unknown {
  if (method !== "POST") return undefined;
  const value = parseBody(body, 0);
  if (!Array.isArray(value)) return value;
  throw new Problem("invalid_value", { message: "Send each message in a request of its own." });
}

/** An account works on one large body at a time. Resolves with the end of the turn, as does the answer's end. */
function largeTurns() {
  /** The end of each account's last turn. */
  const ends = new Map<string, Promise<void>>();
  return async (accountId: string, answer: ServerResponse) => {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const before = ends.get(accountId);
    const all = Promise.all([before, end]).then(() => {
      if (ends.get(accountId) === all) ends.delete(accountId);
    });
    ends.set(accountId, all);
    if (answer.destroyed) resolve();
    answer.once("close", resolve);
    await before;
    return resolve;
  };
}

const LIMIT = {
  maxBytes: MAX_MCP_BODY_BYTES,
  tooLarge: (maxBytes: number) =>
    new Problem("body_too_large", {
      message: `The request is larger than ${maxBytes} bytes. Send a larger picture by POST /v1/files, and name it by the url that it returns.`,
    }),
};

/** The request for the SDK, without its message. It aborts when the client has its answer or has left. */
function webRequest(call: Call<Deps>): Request {
  const { deps, request, reply } = call;
  reply.raw.setMaxListeners(MAX_LISTENERS);
  const headers = new Headers(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const accepts = request.accepts();
  headers.set("accept", ANSWERS.filter((type) => accepts.type([type])).join(", "));
  const { method } = request;
  return new Request(`${deps.publicUrl()}${PATH}`, { method, headers, signal: closedSignal(call) });
}

/** Keeps the headers that are set, the limits' among them. */
function send(reply: FastifyReply, { status, headers, body }: Response): FastifyReply {
  if (status === 405) reply.request.refusal = { code: "method_not_allowed" };
  void reply.code(status).headers(Object.fromEntries(headers));
  return reply.send(body ? Readable.fromWeb(body as never) : undefined);
}
