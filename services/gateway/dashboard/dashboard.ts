/** Registers the dashboard on the public port: its API, the identity provider's redirect target and its pages. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createErrorHandler } from "../http/error-handler.ts";
import { documentRoutes } from "../http/document-routes.ts";
import { admission } from "./access.ts";
import { dashboardHandler } from "./api/index.ts";
import type { DashboardDeps } from "./deps.ts";
import { OIDC_CALLBACK, OIDC_PROVIDER } from "./oidc.ts";
import { pages } from "./pages.ts";
import { cookieOf, setCookies } from "./sessions.ts";

export function dashboard(deps: DashboardDeps): (app: FastifyInstance) => Promise<void> {
  const { dashboardContract: contract, log } = deps;
  return async (app) => {
    app.setErrorHandler(createErrorHandler(contract, log));
    app.decorateRequest("user", undefined);
    app.decorateRequest("sessionId", undefined);
    app.decorateRequest("membership", undefined);
    await app.register(
      async (routes) =>
        documentRoutes(routes, {
          contract,
          admit: admission(deps),
          handlerOf: (operationId) => dashboardHandler(operationId, deps),
        }),
      { prefix: contract.prefix },
    );
    if (deps.oidcName !== undefined) {
      app.get(`${contract.prefix}${OIDC_CALLBACK}`, oidcCallback(deps));
    }
    await app.register(pages({ assetBaseUrl: deps.assetBaseUrl }));
  };
}

/** Handles the identity provider's redirect; the sign-in library verifies its state and sets the session. */
function oidcCallback({ providerAuth, publicUrl }: DashboardDeps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { handler } = await providerAuth();
    // The sign-in library serves it under another path.
    const url = new URL(`${publicUrl()}${request.url}`);
    url.pathname = `/dashboard/api/auth/callback/${OIDC_PROVIDER}`;
    const response = await handler(new Request(url, { headers: cookieOf(request) }));
    setCookies(reply, response.headers);
    const location = response.headers.get("location") ?? `${publicUrl()}/dashboard/sign-in`;
    return reply.header("cache-control", "no-store").redirect(location, 302);
  };
}
