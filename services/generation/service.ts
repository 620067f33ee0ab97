/** Starts generation: its database, upstreams, worker and RPC server. */
import { createClient } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { createCompletionWaiters } from "#runtime/completion-waiters.ts";
import { startPeriodicJobs } from "#runtime/loops.ts";
import { openBase, type Overrides, type Service } from "#runtime/service/service.ts";
import { createCallbacks } from "./domain/callback.ts";
import { openCatalog } from "./catalog/catalog.ts";
import { accountDiscounts } from "./catalog/discounts.ts";
import { createTypicalTimes } from "./catalog/typical-times.ts";
import type { GenerationConfig } from "./config.ts";
import { createdSignal, type Deps as RpcDeps } from "./rpc/deps.ts";
import type { Deps as WorkerDeps } from "./worker/steps/step.ts";
import { createUpstreams, SIMULATOR } from "./upstreams/upstreams.ts";
import { observing } from "./upstreams/observed.ts";
import { createMetrics, taskMetrics } from "./metrics/metrics.ts";
import { forgetFaults } from "./store/slots.ts";
import { readTaskFigures } from "./store/tasks.ts";
import type { Provider } from "./providers/provider.ts";
import { KNOWN_PROVIDERS, type KnownProviders } from "./upstreams/known-providers.ts";
import { openUpstreams } from "./upstreams/open-upstreams.ts";
import { simulatorProvider } from "./providers/vendors/simulator.ts";
import { routes } from "./rpc-routes.ts";
import { batchedFinds } from "./store/generations.ts";
import { rowServer } from "./store/row-server.ts";
import { batchedWrites } from "./store/writes.ts";
import { createPictures } from "./worker/steps/pictures.ts";
import { eraseJob } from "./worker/erase-job.ts";
import { compareJob, sweepJob } from "./holds/holds.ts";
import { startWorker } from "./worker/worker.ts";

/** The dependencies of all folders. */
export type Deps = RpcDeps & WorkerDeps;

/** Tests may replace the simulator and the providers, besides what every service lets them replace. */
export type GenerationOverrides = Overrides & {
  simulator?: Provider;
  knownProviders?: KnownProviders;
};

export async function start(
  config: GenerationConfig,
  overrides: GenerationOverrides = {},
): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const base = await openBase("generation", config, overrides, stack);
  const { sql, bus, clock, log, random } = base;
  const billing = createClient(BillingService, base.peer("billing", config.billingUrl));
  const delivery = createClient(DeliveryService, base.peer("delivery", config.deliveryUrl));
  const metrics = createMetrics(base.metrics);
  const catalog = openCatalog(config.catalogPath);
  const callbacks = createCallbacks(config.callbacks);
  const simulator = overrides.simulator ?? simulatorProvider(config.simulatorUrl);
  const observe = observing(
    (call, seconds) => metrics.upstreamCall.observe(call, seconds),
    base.tracer,
  );
  const live = openUpstreams(config.upstreams, {
    clock,
    log,
    metrics,
    knownProviders: overrides.knownProviders ?? KNOWN_PROVIDERS,
    callbackUrl: callbacks.urlOf,
    isModel: (id) => catalog.find(id) !== undefined,
    observe,
  });
  await forgetFaults(sql);
  taskMetrics(base.metrics, clock, () => readTaskFigures(sql, clock.now()), live.all);
  const deps: Deps = {
    ...base,
    billing,
    delivery,
    discounts: accountDiscounts(billing, clock),
    catalog,
    upstreams: createUpstreams(observe(simulator, SIMULATOR), config.liveProvider, live),
    configuredUpstreams: live,
    callbacks,
    signalCreated: createdSignal(bus, () => worker),
    typicalTimes: createTypicalTimes(sql, clock),
    pictures: createPictures({ delivery, clock, random }),
    ...batchedFinds(sql),
    writes: batchedWrites(sql),
    rowServer: rowServer(sql),
    accountConcurrency: config.accountConcurrency,
    metrics,
    completions: createCompletionWaiters(clock),
    wake: () => worker.wake(),
    deadline: base.shutdown.deadline,
  };
  const worker = stack.use(startWorker(deps, config.concurrency, base.shutdown));
  stack.use(startPeriodicJobs([sweepJob(deps), compareJob(deps), eraseJob(deps)], deps));
  return await base.serve(routes(deps), { uses: [`simulator ${config.simulatorUrl}`] });
}
