/** Starts a gateway on its own database, with recording fakes in place of generation, billing and delivery. */
import { hash as digest } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock, type Clock } from "#runtime/clock.ts";
import { natsAt } from "#runtime/events/config.ts";
import { createLog } from "#runtime/log.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import type { GatewayConfig } from "../../services/gateway/config.ts";
import { start } from "../../services/gateway/service.ts";
import { scrapeReplicas } from "../support/scrape.ts";
import { testDatabase } from "../support/database.ts";
import { manualClock } from "../support/manual-clock.ts";
import { gatewayConfig } from "../support/service-configs.ts";
import { allWith, defaultBackends, fakePeers, type Backends, type Call } from "./backends.ts";
import { sendingWith } from "./requests.ts";

export type HarnessOptions = {
  clock?: Clock;
  config?: Partial<GatewayConfig>;
  imageWaitSeconds?: number;
};

/** Tests sign in a thousand times, and scrypt takes a tenth of a second. */
const QUICK_HASHING = {
  hash: async (password: string) => digest("sha256", password),
  verify: async ({ hash, password }: { hash: string; password: string }) =>
    hash === digest("sha256", password),
};

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** A key of an account with test access, and what sends with it. */
export type Key = Awaited<ReturnType<Harness["newKey"]>>;

/** The harness of a test file; usable from `beforeAll` on. An account and key for the whole file, with which it sends. */
export type SharedHarness = Harness & Key & { key: Key };

/** For files that move the time of the gateway that they share. */
export const MOVED_TIME = {
  clock: manualClock("2026-11-21T12:00:00.000Z"),
  config: { tokenPrice: { amount: "0.01", currency: "USD" } },
};

/** The same, without an event stream. */
export const WITHOUT_EVENTS = {
  clock: manualClock(),
  config: { nats: natsAt("nats://127.0.0.1:9") },
};

const PLAIN: HarnessOptions = {};
/** A busy machine misses the usual ones now and then. */
const PATIENT = { statement: 60_000, silent: 70_000, connect: 60_000, wait: 60_000 };
const SHARED: readonly unknown[] = [PLAIN, MOVED_TIME, WITHOUT_EVENTS];
const shared = new Map<unknown, Promise<Harness>>();

/**
 * A harness for the tests of a file, with a key of its own. All files of a worker that ask nothing special share a
 * gateway, and so do those that move its time; it ends with the worker. For other `options` one is started for the file;
 * they may be a function for what is known only once the tests begin. Before each test the fake services are restored
 * and their calls forgotten.
 */
export function useHarness(
  options: HarnessOptions | (() => Promise<HarnessOptions>) = PLAIN,
): SharedHarness {
  let started: SharedHarness | undefined;
  const isShared = SHARED.includes(options);
  beforeAll(async () => {
    const start = async () =>
      startHarness(typeof options === "function" ? await options() : options);
    const starting = shared.get(options) ?? start();
    if (isShared) shared.set(options, starting);
    const harness = await starting;
    const { owner } = harness;
    const key = await harness.newKey();
    started = { ...harness, ...key, key };
    // Those of other files count no more.
    await owner`delete from gateway.sign_in_attempts`;
    if (options !== MOVED_TIME) return;
    const today = MOVED_TIME.clock.now().toISOString().slice(0, 10).replaceAll("-", "");
    const days = () => owner`
      select from pg_class where oid = to_regclass(${`gateway.request_log_${today}`})`;
    await vi.waitUntil(async () => (await days()).length > 0, 120_000);
  });
  beforeEach(() => {
    if (!started) return;
    Object.assign(started.backends, defaultBackends());
    started.calls.length = 0;
  });
  afterAll(async () => {
    if (!isShared) await started?.[Symbol.asyncDispose]();
  });
  return new Proxy({} as SharedHarness, {
    get: (_target, property) => {
      if (!started) throw new Error("the harness is started by beforeAll");
      return Reflect.get(started, property);
    },
  });
}

export async function startHarness(options: HarnessOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const clock = options.clock ?? systemClock;
  const database = stack.use(await testDatabase("gateway"));
  const identity = await generateIdentity("gateway");
  const logLines: Record<string, unknown>[] = [];
  const log = createLog("test", "debug", { write: (line) => void logLines.push(JSON.parse(line)) });
  const calls: Call[] = [];
  const backends = defaultBackends();
  const gateway = stack.use(
    await start(
      gatewayConfig({
        drainMs: 5_000,
        maxConnections: 3,
        databaseUrl: database.url,
        identity: identity.privateKey,
        trusted: { keys: [identity.publicKey] },
        logLevel: "debug",
        ...options.config,
      }),
      {
        clock,
        log,
        peers: fakePeers(backends, calls),
        passwordHashing: QUICK_HASHING,
        ...(SHARED.includes(options) && { databaseLimits: PATIENT }),
        ...(options.imageWaitSeconds && { imageWaitSeconds: options.imageWaitSeconds }),
      },
    ),
  );
  const owner = postgres(database.ownerUrl, { max: 1 });
  stack.defer(() => owner.end());
  // No deadline, which a busy machine would miss.
  const accounts = createClient(AccountService, gateway.directTransport("ops"));
  const send = (path: string, init?: RequestInit) => fetch(`${gateway.url}${path}`, init);
  const running = stack.move();
  return {
    url: gateway.url,
    /** The public port as reached from this machine, whatever the public URL. */
    localUrl: gateway.localUrl,
    databaseUrl: database.url,
    /** A connection as the owner of the tables, past the service's own permissions. */
    owner,
    gateway,
    backends,
    /** Generations are as `allWith` says, from now on. */
    answerAll: (...how: Parameters<typeof allWith>) =>
      void Object.assign(backends, allWith(...how)),
    /** Holds the answers of a method until what it returns is called. */
    hold: (method: keyof Backends) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const answer = backends[method] as (request: never) => unknown;
      // The fake service waits for promises too.
      backends[method] = ((request: never) => promise.then(() => answer(request))) as never;
      return resolve;
    },
    /** The calls that reached the fake services, oldest first. */
    calls,
    /** What one method of them was asked, oldest first. */
    requestsTo: <M extends keyof Backends>(name: M): Parameters<Backends[M]>[0][] =>
      calls.flatMap(({ method, request }) => (method === name ? [request as never] : [])),
    logLines,
    /** The value of a metric now, as Prometheus reads it; undefined where it has no sample with all of these labels. */
    metric: async (name: string, labels: Record<string, string> = {}) => {
      const { samples } = await scrapeReplicas({ gateway: [gateway.rpcUrl] });
      const wanted = Object.entries(labels);
      return samples.find(
        (one) => one.name === name && wanted.every(([key, value]) => one.labels[key] === value),
      )?.value;
    },
    accounts,
    /** Creates an account with a key. */
    newKey: async (mode: "live" | "test" = "test") => {
      const { account } = await accounts.createAccount({ name: "Example" });
      const accountId = account?.id ?? "";
      if (mode === "live") await accounts.grantProduction({ accountId });
      const keyMode = mode === "live" ? Mode.LIVE : Mode.TEST;
      const { secret } = await accounts.createKey({ accountId, mode: keyMode });
      return { accountId, secret, ...sendingWith(secret, send) };
    },
    send,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
