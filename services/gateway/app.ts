/** The public HTTP server: API, documents, dashboard, callbacks and assets, with one error format for all. */
import accepts from "@fastify/accepts";
import fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import type { GatewayConfig } from "./config.ts";
import { dashboard } from "./dashboard/dashboard.ts";
import type { DashboardDeps } from "./dashboard/session/sessions.ts";
import { docs } from "./docs/docs.ts";
import { isDecodable } from "./domain/requests.ts";
import { clientErrorHandler, createErrorHandler } from "./edge/http/problem.ts";
import { api } from "./edge/api.ts";
import type { Contract } from "./edge/http/contract.ts";
import { mcp } from "./edge/mcp/mcp.ts";
import { openai } from "./edge/openai/openai.ts";
import { assets, storedFiles } from "./edge/http/stored-files.ts";
import { callbacks, systemRoutes } from "./edge/system-routes.ts";
import { observeRequests, requestId } from "./edge/http/app-hooks.ts";
import { knowRoutes } from "./edge/http/unknown-route.ts";
import "./edge/http/request-state.ts";

const HEADERS_MS = 10_000;
/** For the whole of a request: 20 MB need 67 kB a second. */
const REQUEST_MS = 300_000;
/** How late after that Node looks. */
const LOOK_MS = 1_000;
/** Longer than a response is waited for. A client that stops reading would hold its place for ever. */
const STALLED_MS = 150_000;
/** Above the limit of request headers, so that an id of any length is 404 like any unknown id. */
const MAX_PARAM_CHARACTERS = 64 * 1024;

/** Of requests as the gateway adds to them: declared at once, so that all have one shape. */
const REQUEST_FIELDS =
  "caller admitAgain generationId refusal turn held span user session membership";

/** Registers all routes. The server does not listen yet. */
export async function createApp(
  deps: DashboardDeps & { openaiContract: Contract },
  config: GatewayConfig,
): Promise<FastifyInstance> {
  const { contract, log } = deps;
  const errorHandler = createErrorHandler(contract, log, deps.publicUrl);
  const http = { headersTimeout: HEADERS_MS, connectionsCheckingInterval: LOOK_MS };
  const options = {
    logger: false,
    genReqId: requestId(deps.newId),
    requestIdHeader: false,
    connectionTimeout: STALLED_MS,
    ...(config.trustedProxies.length > 0 ? { trustProxy: config.trustedProxies } : {}),
    // The router would take the "*" of OPTIONS for the index. Only proxies are sent the host with the path.
    rewriteUrl: ({ url = "/" }) => (url === "*" ? "/*" : decodable(url.replace(HOST, "/"))),
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    clientErrorHandler: clientErrorHandler(contract, deps.newId, deps.publicUrl),
    requestTimeout: REQUEST_MS,
    ...(config.tls ? { https: { ...config.tls, ...http } } : { http }),
  };
  const app: FastifyInstance = fastify(options as FastifyServerOptions);
  app.decorateRequest("isChecked", false);
  for (const name of REQUEST_FIELDS.split(" ")) app.decorateRequest(name, undefined);
  await app.register(accepts);
  observeRequests(app, deps, config);
  app.setErrorHandler(errorHandler);
  // Each part reads its own bodies; what no part has needs none.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  knowRoutes(app, [contract.prefix, deps.openaiContract.prefix]);
  app.setNotFoundHandler((request) => {
    throw app.unknownRoute(request);
  });
  await app.register(api(deps), { prefix: contract.prefix });
  const files = storedFiles(config.deliveryAssetsUrls);
  app.addHook("onClose", () => files[Symbol.asyncDispose]());
  await app.register(openai({ ...deps, files }), { prefix: deps.openaiContract.prefix });
  await app.register(mcp(deps));
  await app.register(systemRoutes(deps));
  await app.register(docs({ ...deps, notices: config.notices }));
  await app.register(callbacks(deps));
  await app.register(assets(files));
  await app.register(dashboard(deps));
  await app.ready();
  return app;
}

const HOST = /^https?:\/\/[^/?#]*\/?/i;

/** Escapes the percent signs of a path that cannot be decoded, so that the router matches it literally. */
function decodable(url: string): string {
  const [path = "", ...query] = url.split("?");
  return isDecodable(path) ? url : [path.replaceAll("%", "%25"), ...query].join("?");
}
