/** The dashboard on the public port: its operations, where the identity provider redirects to, and its pages. */
import * as generations from "./generations/generations.ts";
import * as webhooks from "./generations/webhooks.ts";
import * as keys from "./members/keys.ts";
import * as logs from "./members/logs.ts";
import * as members from "./members/members.ts";
import * as limits from "./money/limits.ts";
import * as transactions from "./money/transactions.ts";
import * as factors from "./sign-in/factors.ts";
import * as password from "./sign-in/password.ts";
import * as signIn from "./sign-in/sign-in.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { operations } from "#gen/openapi/dashboard.ts";
import { pages } from "./pages.ts";
import { admission } from "./session/access.ts";
import { OIDC_CALLBACK, OIDC_PROVIDER } from "./session/auth.ts";
import type { DashboardDeps, DashboardOperation } from "./session/sessions.ts";
import * as session from "./session/sessions.ts";
import { limitLoad } from "../edge/http/app-hooks.ts";
import { documentRoutes } from "../edge/http/document-routes.ts";
import { createErrorHandler } from "../edge/http/problem.ts";
import { clientNetwork } from "../edge/http/request-state.ts";
import { listTransactions } from "../edge/operations/balance.ts";
import { createImageGeneration, createVideoGeneration } from "../edge/operations/create.ts";
import { createFile, retrieveFile } from "../edge/operations/files.ts";
import { cancel } from "../edge/operations/generations.ts";
import { listModels } from "../edge/operations/models.ts";
import { listWebhookDeliveries, redeliverWebhook } from "../edge/operations/webhook-deliveries.ts";

type Operations = Readonly<Record<keyof operations, DashboardOperation>>;

/** Each topic's file exports its operations by their ids. */
const OPERATIONS: Operations = {
  ...signIn,
  ...factors,
  ...password,
  ...members,
  ...keys,
  ...logs,
  ...limits,
  ...transactions,
  ...generations,
  ...webhooks,
  cancelGeneration: cancel("GenerationId"),
  createPlaygroundFile: createFile,
  createPlaygroundImage: createImageGeneration,
  createPlaygroundVideo: createVideoGeneration,
  listAccountModels: listModels,
  listAccountTransactions: listTransactions,
  listDeliveries: listWebhookDeliveries,
  redeliverDelivery: redeliverWebhook,
  retrieveStoredFile: retrieveFile,
};

export function dashboard(deps: DashboardDeps): (app: FastifyInstance) => Promise<void> {
  const { dashboardContract: contract, log } = deps;
  return async (app) => {
    app.setErrorHandler(createErrorHandler(contract, log));
    await app.register(
      async (routes) => {
        const whoOf = ({ user, ip }: FastifyRequest) => user?.id ?? clientNetwork(ip);
        limitLoad(routes, deps.loadLimits("dashboard"), whoOf);
        documentRoutes(routes, { contract, deps, admit: admission(deps), operations: OPERATIONS });
      },
      { prefix: contract.prefix },
    );
    if (deps.oidcName !== undefined) {
      app.get(`${contract.prefix}${OIDC_CALLBACK}`, oidcCallback(deps));
    }
    await app.register(pages(deps.assetBaseUrl));
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
    const { headers } = await handler(
      new Request(url, { headers: session.cookieOf(request) }),
    ).catch((err: unknown) => {
      log.error({ part: "auth", err }, "provider's redirect not handled");
      return { headers: new Headers() };
    });
    session.setCookies(reply, headers);
    const page = async () =>
      (await session.readSession({ deps, request, reply })).user ? "account" : "sign-in";
    const location =
      headers.get("location") ?? `${publicUrl()}/dashboard/${await page()}?error=not_handled`;
    return reply.header("cache-control", "no-store").redirect(location, 302);
  };
}
