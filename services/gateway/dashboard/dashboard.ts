/** The dashboard on the public port: its own routes behind a session, the way back from an identity provider, its pages. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { errorAnswerer } from "../http/answer-error.ts";
import { documentRoutes } from "../http/document-routes.ts";
import { admission } from "./access.ts";
import { dashboardHandler } from "./api/index.ts";
import type { DashboardDeps } from "./deps.ts";
import { pages } from "./pages.ts";
import { cookieOf, setCookies } from "./sessions.ts";

export function dashboard(deps: DashboardDeps): (app: FastifyInstance) => Promise<void> {
  const { dashboard: contract, log } = deps;
  return async (app) => {
    app.setErrorHandler(errorAnswerer(contract, log));
    app.decorateRequest("user", undefined);
    app.decorateRequest("membership", undefined);
    await app.register(
      (routes) =>
        documentRoutes(routes, {
          contract,
          admit: admission(deps),
          handlerOf: (operationId) => dashboardHandler(operationId, deps),
        }),
      { prefix: contract.prefix },
    );
    if (deps.oidcName !== undefined) {
      app.get(`${contract.prefix}/auth/oauth2/callback/:provider`, comeBack(deps));
    }
    await app.register(pages({ assetBaseUrl: deps.assetBaseUrl }));
  };
}

/** The browser comes from the identity provider: the library checks the state that it left with. */
function comeBack({ auth, publicUrl }: DashboardDeps) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { handler } = await auth();
    const answer = await handler(
      new Request(`${publicUrl()}${request.url}`, { headers: cookieOf(request) }),
    );
    setCookies(reply, answer.headers);
    const location = answer.headers.get("location") ?? `${publicUrl()}/dashboard/sign-in`;
    return reply.header("cache-control", "no-store").redirect(location, 302);
  };
}
