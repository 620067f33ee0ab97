/** The gateway's composition root. */
import cluster from "node:cluster";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { createClient } from "@connectrpc/connect";
import type { FastifyInstance } from "fastify";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { parseCidrs } from "#runtime/address.ts";
import { listenAt } from "#runtime/listen.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { MAX_CONNECTIONS } from "#runtime/load-limit.ts";
import { startPeriodicJobs } from "#runtime/loops.ts";
import { openBase, type Overrides } from "#runtime/service/service.ts";
import { onAbort } from "#runtime/abort.ts";
import { closeKeptAlive } from "#runtime/shutdown.ts";
import { startAlerts } from "./accounts/send-alerts.ts";
import { startMaintenance } from "./accounts/maintenance.ts";
import { keyCache, keyUses } from "./accounts/keys.ts";
import { requestLog } from "./accounts/request-log.ts";
import type { GatewayConfig } from "./config.ts";
import type { Auth, OidcConfig, PasswordHashing } from "./dashboard/session/auth.ts";
import { loadContract } from "./edge/http/contract.ts";
import {
  knownBrowsers,
  signInAttempts,
  signUpProof,
  type DashboardDeps,
} from "./dashboard/session/sessions.ts";
import type { Deps } from "./edge/operations/deps.ts";
import { isPlainLoopback } from "./domain/requests.ts";
import { createApp } from "./app.ts";
import { sharedReads } from "./edge/http/request-state.ts";
import { IMAGE_WAIT_SECONDS } from "./edge/operations/create.ts";
import { uploadMemory } from "./edge/http/json-body.ts";
import { createMetrics } from "./edge/http/app-hooks.ts";
import { createMailer } from "./accounts/mail/mailer.ts";
import { messages } from "./accounts/mail/messages.ts";
import { rateLimiter } from "./edge/rate-limit/limiter.ts";
import { routes } from "./rpc-routes.ts";
import * as store from "./store/store.ts";
import { createWaitingRequests } from "./edge/waiting/waiting-requests.ts";

export type GatewayOverrides = Overrides & {
  passwordHashing?: PasswordHashing;
  /** How long a create of an image waits for its end. */
  imageWaitSeconds?: number;
};

export async function start(config: GatewayConfig, overrides: GatewayOverrides = {}) {
  await using stack = new AsyncDisposableStack();
  const base = await openBase("gateway", config, overrides, stack);
  const { sql, clock, log } = base;
  let url = config.publicUrl;
  const generation = createClient(GenerationService, base.peer("generation", config.generationUrl));
  const hasEvents = () => base.bus.isConnected;
  const waitingRequests = createWaitingRequests({ clock, generation, hasEvents });
  const metrics = createMetrics(base.metrics);
  const allowed = parseCidrs(config.egressAllow);
  const assetBaseUrl = () => config.assetBaseUrl ?? `${url ?? ""}/assets`;
  const deps: Deps = {
    ...base,
    generation,
    billing: createClient(BillingService, base.peer("billing", config.billingUrl)),
    delivery: createClient(DeliveryService, base.peer("delivery", config.deliveryUrl)),
    metrics,
    waitingRequests,
    imageWaitSeconds: overrides.imageWaitSeconds ?? IMAGE_WAIT_SECONDS,
    findKey: keyCache({ clock, findKeys: (hashes) => store.findKeysByHash(sql, hashes) }),
    takeRequest: rateLimiter({ clock, takeLease: store.takeRateLease(sql) }),
    keyUses: keyUses({ sql, clock }),
    requestLog: requestLog({
      sql,
      log,
      countDropped: (cause, requests) => metrics.requestLogDropped.inc({ cause }, requests),
    }),
    shareRead: sharedReads(),
    uploads: uploadMemory(),
    tokenPrice: config.tokenPrice,
    contract: loadContract("media", allowed, assetBaseUrl),
    publicUrl: () => url ?? "",
    assetBaseUrl,
  };
  const mailer = stack.use(
    createMailer(config.mail, { clock, log, deadline: base.shutdown.deadline }),
  );
  const dashboard = dashboardDeps(
    { ...deps, mailer, dashboardContract: loadContract("dashboard", allowed, assetBaseUrl) },
    config,
    overrides.passwordHashing,
  );
  base.bus.listen(generationFinished, ({ generation }) => {
    waitingRequests.waiters.complete(generation?.id ?? "");
  });
  stack.use(startMaintenance({ ...deps, requestLogDays: config.requestLogDays }));
  stack.use(startAlerts(dashboard));
  stack.use(startPeriodicJobs([waitingRequests.look], { clock, log }));
  const openaiContract = loadContract("openai", allowed, assetBaseUrl);
  const app = await createApp({ ...dashboard, openaiContract }, config);
  const responses = closeKeptAlive(app.server, base.shutdown);
  onAbort(base.shutdown.deadline, () => app.server.closeAllConnections());
  stack.defer(() => app.close());
  const port = await listen(app, config, stack);
  // The port stays open meanwhile: a load balancer whose check is refused may cut off what is in progress.
  stack.defer(() => responses.ended());
  stack.defer(() => waitingRequests.waiters.stop());
  const localUrl = `${config.tls ? "https" : "http"}://localhost:${port}`;
  url ??= localUrl;
  return {
    ...(await base.serve(routes(dashboard), { listens: [localUrl] })),
    /** The base of the public URLs, without a trailing slash. */
    url,
    /** The public port as reached from this machine. */
    localUrl,
  };
}

/**
 * How many sockets listen on the public port. Node accepts one connection of each in a turn of its event loop: with one
 * alone, the last of a burst, or a load balancer's check behind it, waits for as many turns as there are connections.
 */
const LISTENING = process.platform === "linux" ? 16 : 1;

/** Returns the port. Disposal of `stack` takes no new connection and waits for the open ones. */
async function listen(
  app: FastifyInstance,
  { publicHost: host, port: wanted, tls }: GatewayConfig,
  stack: AsyncDisposableStack,
): Promise<number> {
  // Sockets that share a port would share it with another program, too.
  const first = createServer();
  const port = await listenAt(first, ["PUBLIC_HOST", host], ["PORT", wanted]);
  await new Promise((resolve) => first.close(resolve));
  // The processes of `npm start` share the first one's socket, which would be in use for sockets of their own.
  const sockets = cluster.isWorker ? 1 : LISTENING;
  const options = { host, port, reusePort: sockets > 1 };
  await app.listen(options);
  app.server.maxConnections = Math.ceil(MAX_CONNECTIONS / sockets);
  const others: Server[] = [];
  stack.defer(async () => {
    const closed = others.map((server) => once(server.close(), "close"));
    app.server.closeIdleConnections();
    await Promise.all(closed);
  });
  while (others.length < sockets - 1) {
    // It is made as Node makes the server of `app`.
    const server = createServer({ allowHalfOpen: !tls, noDelay: true });
    server.maxConnections = app.server.maxConnections;
    server.on("connection", (socket) => app.server.emit("connection", socket)).listen(options);
    await once(server, "listening");
    others.push(server);
  }
  return port;
}

function dashboardDeps(
  deps: Deps & Pick<DashboardDeps, "mailer" | "dashboardContract">,
  config: GatewayConfig,
  passwordHashing: PasswordHashing | undefined,
): DashboardDeps {
  const { sql, clock, newId, log, mailer, publicUrl } = deps;
  const { authSecret: secret, signUp, oidc } = config;
  const mails = messages(publicUrl);
  const maySignUp = async (email: string) =>
    signUp === "open" || store.hasInvitation(sql, email, clock.now());
  const lazyAuth = (provider: OidcConfig | undefined) => {
    const given = { sql, newId, log, secret, mailer, passwordHashing, messages: mails, maySignUp };
    let auth: Promise<Auth> | undefined;
    return () =>
      (auth ??= import("./dashboard/session/auth.ts").then(({ createAuth }) =>
        createAuth({ ...given, publicUrl: publicUrl(), oidc: provider }),
      ));
  };
  return {
    ...deps,
    auth: lazyAuth(undefined),
    providerAuth: lazyAuth(oidc),
    messages: mails,
    signUpProof: signUpProof(secret, clock),
    knownBrowsers: knownBrowsers(secret, () => !isPlainLoopback(publicUrl())),
    signInAttempts: signInAttempts({ sql, clock }),
    signUp,
    oidcName: oidc?.name,
  };
}
