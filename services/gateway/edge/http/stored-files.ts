/** Serves stored files, which delivery has. */
import type { IncomingHttpHeaders } from "node:http";
import { Agent, request, type Dispatcher } from "undici";
import type { FastifyInstance } from "fastify";
import type { PeerUrls } from "#runtime/service/service.ts";
import { REQUEST_ID_HEADER } from "#runtime/rpc/context.ts";
import { Problem } from "./problem.ts";

/** To one replica of delivery. A frozen one takes connections and answers nothing. */
const CONNECTIONS = { connections: 128, connect: { timeout: 3_000 }, bodyTimeout: 60_000 };
/** Delivery's storage has 10 s for each of its answers. */
const ANSWERS_WITHIN_MS = 15_000;

const MESSAGES = {
  route_not_found: "There is no file at this URL. Use a URL from the output of a generation.",
  gone: "The file was deleted.",
  unavailable: "The file cannot be read now. Try again as Retry-After says.",
};

export type StoredFiles = ReturnType<typeof storedFiles>;

type Asked = { method?: "GET" | "HEAD" | "OPTIONS"; headers?: IncomingHttpHeaders };

/** If one of `urls` does not answer in time, this request and later ones ask the next. */
export function storedFiles(urls: PeerUrls, headersTimeout = ANSWERS_WITHIN_MS) {
  const dispatcher = new Agent({ ...CONNECTIONS, headersTimeout });
  /** Counts on where the URLs end. */
  let current = 0;
  const ask = async (path: string, { method = "GET", headers = {} }: Asked) => {
    const first = current;
    let cause: unknown;
    for (let index = first; index < first + urls.length; index += 1) {
      const url = `${urls[index % urls.length]}${path}`;
      try {
        return await request(url, { dispatcher, method, headers });
      } catch (error) {
        cause = error;
        if (current === index) current += 1;
      }
    }
    throw new Problem("unavailable", { cause });
  };
  return {
    /** `path` is a storage key behind a slash. Delivery's refusals are Problems, with their headers. */
    async read(path: string, asked: Asked = {}): Promise<Dispatcher.ResponseData> {
      const answer = await ask(path, asked);
      const code = refusalOf(answer.statusCode);
      if (code === undefined) return answer;
      await answer.body.dump();
      const headers = without(answer.headers, [...OF_CONNECTION, ...OF_BODY]);
      throw new Problem(code, { message: MESSAGES[code], headers });
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

function refusalOf(status: number): keyof typeof MESSAGES | undefined {
  if (status >= 500) return "unavailable";
  return status === 404 ? "route_not_found" : status === 410 ? "gone" : undefined;
}

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
        const passed = FORWARDED.map((name) => [name, sent[name]]);
        const { statusCode, headers, body } = await files.read(url.slice(PREFIX.length), {
          method: method as "GET" | "HEAD" | "OPTIONS",
          headers: { ...Object.fromEntries(passed), [REQUEST_ID_HEADER]: id },
        });
        return reply.headers(without(headers, OF_CONNECTION)).code(statusCode).send(body);
      },
    });
  };
}

function without(headers: IncomingHttpHeaders, names: readonly string[]) {
  const passed = Object.entries(headers).filter(([name]) => !names.includes(name));
  return Object.fromEntries(passed) as Record<string, string>;
}
