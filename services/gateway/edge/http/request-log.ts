/** Logs and counts each request, and records those of API keys for their account. */
import type { FastifyRequest, FastifyReply } from "fastify";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { RequestLog } from "../../accounts/request-log.ts";
import { isQuietRead } from "../../domain/request-method.ts";
import { withoutKeys } from "../../domain/api-key.ts";
import { matchedRoute } from "./matched-route.ts";
import type { GatewayMetrics } from "./metrics.ts";

const PROBES: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz"]);

/** Health probes: they are asked all the time, and say the same, so that they are no traces and hardly logged. */
export function isProbe({ routeOptions }: FastifyRequest): boolean {
  return PROBES.has(routeOptions.url);
}

/** False: there is to be no line either. */
type RecordRequest = (request: FastifyRequest, reply: FastifyReply) => boolean;

/**
 * Logs one in `readsPerLine` successful reads, because they change nothing and are many, and every other request that
 * `record`, which is told of each, does not leave out.
 */
export function requestLog(
  log: Log,
  readsPerLine: number,
  record: RecordRequest,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  let reads = 0;
  return async (request, reply) => {
    if (!record(request, reply)) return;
    if (isQuietRead(request.method, reply.statusCode) && reads++ % readsPerLine !== 0) return;
    const line = {
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      request_id: request.id,
      account_id: request.caller?.accountId,
      key_id: request.caller?.keyId,
      generation_id: request.generationId,
    };
    log[isProbe(request) ? "debug" : "info"](line, "request");
  };
}

/** The longest path that is recorded: only that of an unknown route may be longer. */
const MAX_PATH_CHARACTERS = 200;

/** Records how requests with a known API key were answered. Others have no account, and could be anybody's. */
export function recordRequest({
  requestLog: { record },
  clock,
}: {
  requestLog: Pick<RequestLog, "record">;
  clock: Clock;
}): RecordRequest {
  /** The paths of routes as the documents write them. */
  const templates = new Map<string, string>();
  const templateOf = (route: string) => {
    let template = templates.get(route);
    if (template === undefined) {
      template = route.replaceAll(/:(\w+)/g, "{$1}");
      templates.set(route, template);
    }
    return template;
  };
  return (request, { statusCode: status, elapsedTime }) => {
    const { caller } = request;
    if (caller?.keyId === undefined) return true;
    const route = matchedRoute(request);
    return record({
      atMs: clock.now().getTime(),
      durationMs: Math.round(elapsedTime),
      status,
      accountId: caller.accountId,
      mode: caller.mode,
      keyId: caller.keyId,
      requestId: request.id,
      method: request.method,
      path: route === undefined ? pathOf(request.url) : templateOf(route),
      errorCode: request.errorCode,
      errorParam: keptParam(request.errorParam),
      generationId: status === NOT_FOUND ? undefined : request.generationId,
    });
  };
}

/** The path may name a generation that there never was. */
const NOT_FOUND = 404;

/** What the names that an operation has, and places in its lists, are made of; an API key is longer. */
const NAME = /^[\w.[\]-]{1,40}$/;

/** Clients choose the names in metadata, and may send anything as a name that an operation does not have. */
function keptParam(param: string | undefined): string | undefined {
  const kept = param?.replace(/^metadata\..*/s, "metadata");
  return kept !== undefined && NAME.test(kept) ? kept : undefined;
}

/** A copy: a slice would keep the whole URL in memory until it is written. */
function pathOf(url: string): string {
  const path = url.slice(0, MAX_PATH_CHARACTERS).split(/[?#]/, 1)[0] ?? "";
  return Buffer.from(withoutKeys(path)).toString();
}

/** Routes outside of the documents count by their pattern, so that there are few. */
export function countRequest({
  requests,
}: Pick<GatewayMetrics, "requests">): (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void> {
  return async ({ routeOptions }, { statusCode, elapsedTime }) => {
    const operation = routeOptions.config.operationId ?? routeOptions.url ?? "unknown";
    requests.observe({ operation, status: String(statusCode) }, elapsedTime / 1_000);
  };
}
