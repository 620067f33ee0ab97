/** Generation's configuration; the only reader of its environment. */
import { asSecret, envReader, type Env, type EnvReader } from "#runtime/env.ts";
import { readServiceConfig, type PeerUrls } from "#runtime/service/service.ts";
import type { CallbacksConfig } from "./domain/callback.ts";
import { defaultCatalogPath } from "./catalog/catalog.ts";
import type { UpstreamsConfig } from "./upstreams/open-upstreams.ts";

export type GenerationConfig = ReturnType<typeof readConfig>;

export function readConfig(env: Env) {
  const reader = envReader(env);
  return reader.done({
    ...readServiceConfig(reader),
    ...readTuning(reader, "none"),
    /** Undefined: the service runs in this process. */
    billingUrl: reader.urls("BILLING_URL") as PeerUrls | undefined,
    deliveryUrl: reader.urls("DELIVERY_URL") as PeerUrls | undefined,
    /** The settings of callbacks by upstreams; undefined: callbacks are off and upstreams are only polled. */
    callbacks: readCallbacks(reader),
    /** How many tasks this process works on at the same time. */
    concurrency: reader.integer("WORKER_CONCURRENCY", 128, 1, 10_000),
    /** The address of the simulator, the upstream of test mode. */
    simulatorUrl: reader.url("SIMULATOR_URL"),
  });
}

/** Settings that `npm start` takes, too. */
export function readTuning(reader: EnvReader, defaultProvider: "none" | "simulator") {
  const liveProvider = reader.oneOf("LIVE_PROVIDER", ["none", "simulator"], defaultProvider);
  if (reader.isProduction && liveProvider === "simulator") {
    reader.problem("LIVE_PROVIDER=simulator is refused when NODE_ENV=production");
  }
  return {
    catalogPath: reader.string("CATALOG_FILE", defaultCatalogPath),
    /** "simulator": the simulator also serves live mode. "none": live mode needs an upstreams file. */
    liveProvider,
    upstreams: {
      path: reader.optional("UPSTREAMS_FILE"),
      // The variable `PROVIDER_KEY_ARK_1` belongs to the credential `ark-1`, as the file `ark-1` of the directory does.
      keys: Object.fromEntries(
        reader
          .byPrefix("PROVIDER_KEY_", "CREDENTIAL")
          .map(([name, value]) => [name.toLowerCase().replaceAll("_", "-"), value]),
      ),
      keysDirectory: reader.optional("PROVIDER_KEYS_DIR"),
    } satisfies UpstreamsConfig,
    /** How many tasks of one kind an account may have at upstreams at the same time, in each mode. */
    accountConcurrency: reader.integer("ACCOUNT_CONCURRENCY", 50, 1, 1_000_000),
  };
}

/** `CALLBACK_SECRET_FILE` must have the same content for all processes. */
function readCallbacks(reader: EnvReader): CallbacksConfig | undefined {
  if (reader.optional("CALLBACK_BASE_URL") === undefined) return undefined;
  const name = "CALLBACK_SECRET_FILE";
  const secret = asSecret(reader, name, reader.file(name).trim());
  return { baseUrl: reader.url("CALLBACK_BASE_URL"), secret };
}
