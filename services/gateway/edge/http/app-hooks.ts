/** The hooks of every request: its context, the limit of load, its log line and its metrics. */
import type {
  FastifyInstance,
  FastifyRequest,
  RawRequestDefaultExpression,
  FastifyReply,
} from "fastify";
import type { Registry } from "prom-client";
import { inContext } from "#runtime/work-context.ts";
import type { Base } from "#runtime/service/service.ts";
import type { NewId } from "#runtime/id.ts";
import type { LoadLimit } from "#runtime/load-limit.ts";
import type { Log } from "#runtime/log.ts";
import { metricsIn } from "#runtime/metrics/metrics.ts";
import { Problem } from "./problem.ts";
import type { RequestLog } from "../../accounts/request-log.ts";
import { isQuietRead } from "../../domain/requests.ts";
import { withoutKeys } from "../../domain/api-key.ts";

/** Browsers use only https for this host for a year. Where a proxy ends TLS, that is the proxy's to say. */
const HSTS = "max-age=31536000";

// One for all, because making an error costs more than the rest of a refusal.
const NO_POSTGRES = new Problem("unavailable");
const TOO_MANY = new Problem("unavailable", {
  message: "The service has more requests than it can answer now. Send the request again later.",
});
/** Load balancers have had the lame-duck time to learn of the stop. */
const STOPPING = new Problem("unavailable", {
  message: "This server is stopping. Send the request again.",
});

type HooksDeps = Pick<Base, "tracer" | "shutdown" | "hasPostgres" | "log" | "clock"> & {
  metrics: GatewayMetrics;
  requestLog: Pick<RequestLog, "record">;
};

type HooksConfig = { tls: object | undefined; readsPerLogLine: number; requestLogDays: number };

/** Call it before other hooks are added. A client's own traceparent is not taken: it could have everything recorded. */
export function observeRequests(app: FastifyInstance, deps: HooksDeps, config: HooksConfig): void {
  const contextOf = ({ id: requestId, span }: FastifyRequest) => ({
    requestId,
    traceparent: span?.traceparent,
  });
  const record = config.requestLogDays === 0 ? () => true : recordRequest(deps);
  const logRequest = requestLines(deps.log, config.readsPerLogLine, record);
  app.addHook("onRequest", (request, reply, next) => {
    const { url: route, config: of } = request.routeOptions;
    reply.header("Request-Id", request.id);
    if (config.tls) reply.header("Strict-Transport-Security", HSTS);
    if (PROBES.has(route)) return inContext(contextOf(request), () => next());
    request.span = deps.tracer.begin(`${request.method} ${route ?? "unknown"}`, {
      kind: "server",
      isRoot: true,
      fields: {
        "http.request.method": request.method,
        "http.route": route,
        "media.operation": of.operationId,
        "media.request_id": request.id,
      },
    });
    // Each operation would wait for Postgres. Pages and files do without.
    const isWithout = of.operationId !== undefined && !deps.hasPostgres();
    const refused = deps.shutdown.draining.aborted ? STOPPING : isWithout ? NO_POSTGRES : undefined;
    inContext(contextOf(request), () => next(refused));
  });
  // The body arrives by events of the connection, which have no context.
  app.addHook("preValidation", (request, _reply, next) => inContext(contextOf(request), next));
  app.addHook("onResponse", (request, reply, next) => {
    const { span, generationId, routeOptions } = request;
    const { statusCode, elapsedTime } = reply;
    span?.end({ "http.response.status_code": statusCode, "media.generation_id": generationId });
    logRequest(request, reply);
    // Routes outside of the documents count by their pattern, so that there are few.
    const operation = routeOptions.config.operationId ?? routeOptions.url ?? "unknown";
    const labels = { operation, status: String(statusCode) };
    deps.metrics.requests.observe(labels, elapsedTime / 1_000);
    next();
  });
}

const CLIENT_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** The client's Request-Id when it is well-formed, otherwise a new id. */
export function requestId(newId: NewId): (request: RawRequestDefaultExpression) => string {
  return ({ headers }) => {
    const clientId = headers["request-id"];
    return typeof clientId === "string" && CLIENT_ID.test(clientId) ? clientId : newId("req");
  };
}

/**
 * Adds the limit to the routes of `app`; `whoOf` says whose a request is. Refused requests get 503 with Retry-After. A
 * request is in progress once its body has come, and until its answer begins: its client may send and read slowly.
 */
export function limitLoad(
  app: FastifyInstance,
  { take }: LoadLimit,
  whoOf: (request: FastifyRequest) => string | undefined,
): void {
  app.addHook("preValidation", async (request, reply) => {
    request.turn = await take(whoOf(request));
    if (request.turn && !reply.raw.destroyed) return;
    // The client left while the request waited for its turn.
    request.turn?.end();
    throw TOO_MANY;
  });
  app.addHook("onSend", async ({ turn }) => turn?.end());
}

/** Health probes: they are asked all the time, and say the same, so that they are no traces and hardly logged. */
const PROBES: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz"]);

/** False: there is to be no line either. */
type RecordRequest = (request: FastifyRequest, reply: FastifyReply) => boolean;

/** Logs one in `readsPerLine` successful reads, which are many, and all other requests that `record` does not skip. */
function requestLines(log: Log, readsPerLine: number, record: RecordRequest) {
  let reads = 0;
  return (request: FastifyRequest, reply: FastifyReply): void => {
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
    log[PROBES.has(line.route) ? "debug" : "info"](line, "request");
  };
}

/** The longest path that is recorded: only that of an unknown route may be longer. */
const MAX_PATH_CHARACTERS = 200;

/** Records how requests with a known API key were answered. Others have no account, and could be anybody's. */
function recordRequest({
  requestLog: { record },
  clock,
}: Pick<HooksDeps, "requestLog" | "clock">): RecordRequest {
  return (request, { statusCode: status, elapsedTime }) => {
    const { caller, refusal } = request;
    if (caller?.keyId === undefined) return true;
    const route = matchedRoute(request);
    return record({
      at: clock.now(),
      durationMs: Math.round(elapsedTime),
      status,
      accountId: caller.accountId,
      mode: caller.mode,
      keyId: caller.keyId,
      requestId: request.id,
      method: request.method,
      path: route === undefined ? recordedPath(request.url) : documentPath(route),
      errorCode: refusal?.code,
      errorParam: keptParam(refusal?.param),
      errorMessage: keptMessage(refusal),
      generationId: status === NOT_FOUND ? undefined : request.generationId,
    });
  };
}

export function documentPath(route: string): string {
  return route.replaceAll(/:(\w+)/g, "{$1}");
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

const MAX_MESSAGE_CHARACTERS = 300;

/**
 * Messages quote what a client sent, and may name the parameter: only names of an operation's are kept. A quoted text may
 * itself have quotes, so that the message loses all from its first to its last one.
 */
function keptMessage(refusal: FastifyRequest["refusal"]): string | undefined {
  if (refusal?.param !== keptParam(refusal?.param)) return undefined;
  const text = refusal?.message?.replace(/".*"/s, (quoted) =>
    quoted.split('"').every((part, index) => index % 2 === 0 || NAME.test(part)) ? quoted : '"…"',
  );
  return text?.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed();
}

/** A copy: a slice would keep the whole URL in memory until it is written. */
function recordedPath(url: string): string {
  const path = url.slice(0, MAX_PATH_CHARACTERS).split(/[?#]/, 1)[0] ?? "";
  return Buffer.from(withoutKeys(path)).toString();
}

/** Undefined without a route. The router takes an empty segment for a parameter, which no operation has. */
export function matchedRoute({ routeOptions, params }: FastifyRequest): string | undefined {
  const isEmpty = Object.values(params as Record<string, string>).includes("");
  return isEmpty ? undefined : routeOptions.url;
}

export type GatewayMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const { counter, duration } = metricsIn(registry);
  return {
    requests: duration(
      "media_http_request_duration_seconds",
      "How long requests took, with the time that `Prefer: wait` asks for",
      ["operation", "status"],
    ),
    rateLimited: counter(
      "media_rate_limited_requests_total",
      "Requests that were refused because their account was over its limit",
      ["kind"],
    ),
    requestLogDropped: counter(
      "media_request_log_dropped_total",
      "Requests missing in the request log: Postgres was slow or away, or their account sent many that change nothing",
      ["cause"],
    ),
  };
}
