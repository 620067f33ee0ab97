/** Registers the dashboard on the public port: its API, the identity provider's redirect target and its pages. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clientNetwork } from "../edge/http/client-network.ts";
import { createErrorHandler } from "../edge/http/problem.ts";
import { documentRoutes } from "../edge/http/document-routes.ts";
import { limitLoad } from "../edge/http/app-hooks.ts";
import { admission } from "./session/access.ts";
import { type DashboardDeps, OPERATIONS } from "./operations.ts";
import { OIDC_CALLBACK, OIDC_PROVIDER } from "./session/auth.ts";
import { pages } from "./pages.ts";
import { cookieOf, readSession, setCookies } from "./session/sessions.ts";

export function dashboard(deps: DashboardDeps): (app: FastifyInstance) => Promise<void> {
  const { dashboardContract: contract, log } = deps;
  return async (app) => {
    app.setErrorHandler(createErrorHandler(contract, log));
    app.decorateRequest("user", undefined);
    app.decorateRequest("sessionId", undefined);
    app.decorateRequest("membership", undefined);
    await app.register(
      async (routes) => {
        const whoOf = ({ user, ip }: FastifyRequest) => user?.id ?? clientNetwork(ip);
        limitLoad(routes, deps.loadLimits("dashboard"), whoOf);
        documentRoutes(routes, {
          contract,
          memory: deps.uploads,
          admit: admission(deps),
          handlerOf: (operationId) => OPERATIONS[operationId as keyof typeof OPERATIONS]?.(deps),
        });
      },
      { prefix: contract.prefix },
    );
    if (deps.oidcName !== undefined) {
      app.get(`${contract.prefix}${OIDC_CALLBACK}`, oidcCallback(deps));
    }
    await app.register(pages({ assetBaseUrl: deps.assetBaseUrl }));
  };
}

/** Handles the identity provider's redirect; the sign-in library verifies its state and sets the session. */
function oidcCallback(deps: DashboardDeps) {
  const { providerAuth, publicUrl, log } = deps;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { handler } = await providerAuth();
    // The sign-in library serves it under another path.
    const url = new URL(`${publicUrl()}${request.url}`);
    url.pathname = `/dashboard/api/auth/callback/${OIDC_PROVIDER}`;
    const { headers } = await handler(new Request(url, { headers: cookieOf(request) })).catch(
      (err: unknown) => {
        log.error({ part: "auth", err }, "provider's redirect not handled");
        return { headers: new Headers() };
      },
    );
    setCookies(reply, headers);
    const page = async () => ((await readSession(deps, request)).user ? "account" : "sign-in");
    const location =
      headers.get("location") ?? `${publicUrl()}/dashboard/${await page()}?error=not_handled`;
    return reply.header("cache-control", "no-store").redirect(location, 302);
  };
}
