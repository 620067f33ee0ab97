/** Starts a gateway on its own database, with recording fakes in place of generation, billing and delivery. */
import { hash as digest } from "node:crypto";
import { createClient, type Client } from "@connectrpc/connect";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { systemClock, type Clock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import type { GatewayConfig } from "../../services/gateway/config.ts";
import { start, type GatewayHandle } from "../../services/gateway/service.ts";
import { scrapeReplicas } from "../support/scrape.ts";
import { testDatabase } from "../support/database.ts";
import { gatewayConfig } from "../support/service-configs.ts";
import { defaultBackends, fakePeers, type Backends, type Call } from "./backends.ts";
import { headersOf, post } from "./requests.ts";

export type Harness = AsyncDisposable & {
  url: string;
  /** The public port as reached from this machine, whatever the public URL. */
  localUrl: string;
  /** The database, for the service's own role and for the owner of its tables. */
  databaseUrl: string;
  ownerUrl: string;
  gateway: GatewayHandle;
  backends: Backends;
  /** The calls that reached the fake services, oldest first. */
  calls: Call[];
  logLines: Record<string, unknown>[];
  /** The value of a metric now, as Prometheus reads it; undefined where it has no sample with all of these labels. */
  metric: (name: string, labels?: Record<string, string>) => Promise<number | undefined>;
  accounts: Client<typeof AccountService>;
  /** Creates an account with a key. */
  newKey: (mode?: "live" | "test") => Promise<Key>;
  /** Sends a request. */
  send: (path: string, init?: RequestInit) => Promise<Response>;
};

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

/** An account with test access and a key of it. */
export type Key = { accountId: string; secret: string };

/** The harness of a test file; usable from `beforeAll` on. */
export type SharedHarness = Harness & {
  /** An account and key for the whole file. */
  readonly key: Key;
  /** A connection as the owner of the tables, past the service's own permissions. */
  readonly owner: postgres.Sql;
  /** GET with the key of the file. */
  get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  /** POST of a JSON body with the key of the file. */
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
  /** Another method with the key of the file, without a body and its type. */
  sendBare: (method: string, path: string) => Promise<Response>;
  /** What one method of the fake services was asked, oldest first. */
  requestsTo: <M extends keyof Backends>(method: M) => Parameters<Backends[M]>[0][];
};

type Started = Omit<SharedHarness, "key" | "get" | "post" | "sendBare">;

/** One gateway for all files of a worker that ask nothing special of it; it ends with the worker. */
let plain: Promise<Started> | undefined;

/**
 * A harness for the tests of a file, with a key of its own: one that is started for the file where there are
 * `options`, which may be a function for what is known only once the tests begin. Before each test the fake services
 * are restored and their calls forgotten.
 */
export function useHarness(
  options?: HarnessOptions | (() => Promise<HarnessOptions>),
): SharedHarness {
  let started: SharedHarness | undefined;
  beforeAll(async () => {
    const harness = await (options === undefined
      ? (plain ??= startWithOwner({}))
      : startWithOwner(typeof options === "function" ? await options() : options));
    const key = await harness.newKey();
    const bare = { authorization: `Bearer ${key.secret}` };
    started = {
      ...harness,
      key,
      get: (path, more) => harness.send(path, { headers: headersOf(key.secret, more) }),
      post: (path, body, more) => harness.send(path, post(key.secret, body, more)),
      sendBare: (method, path) => harness.send(path, { method, headers: bare }),
    };
  });
  beforeEach(() => {
    if (!started) return;
    Object.assign(started.backends, defaultBackends());
    started.calls.length = 0;
  });
  afterAll(async () => {
    if (options !== undefined) await started?.[Symbol.asyncDispose]();
  });
  return new Proxy({} as SharedHarness, {
    get: (_target, property) => {
      if (!started) throw new Error("the harness is started by beforeAll");
      return Reflect.get(started, property);
    },
  });
}

async function startWithOwner(options: HarnessOptions): Promise<Started> {
  const harness = await startHarness(options);
  const owner = postgres(harness.ownerUrl, { max: 1 });
  return {
    ...harness,
    owner,
    requestsTo: (name) =>
      harness.calls.flatMap(({ method, request }) => (method === name ? [request as never] : [])),
    [Symbol.asyncDispose]: async () => {
      await owner.end();
      await harness[Symbol.asyncDispose]();
    },
  };
}

export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
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
        ...(options.imageWaitSeconds && { imageWaitSeconds: options.imageWaitSeconds }),
      },
    ),
  );
  // No deadline, which a busy machine would miss.
  const accounts = createClient(AccountService, gateway.directTransport("ops"));
  const running = stack.move();
  return {
    url: gateway.url,
    localUrl: gateway.localUrl,
    databaseUrl: database.url,
    ownerUrl: database.ownerUrl,
    gateway,
    backends,
    calls,
    logLines,
    metric: async (name, labels = {}) => {
      const { samples } = await scrapeReplicas({ gateway: [gateway.rpcUrl] });
      const wanted = Object.entries(labels);
      return samples.find(
        (one) => one.name === name && wanted.every(([key, value]) => one.labels[key] === value),
      )?.value;
    },
    accounts,
    newKey: async (mode = "test") => {
      const { account } = await accounts.createAccount({ name: "Example" });
      const accountId = account?.id ?? "";
      if (mode === "live") await accounts.grantProduction({ accountId });
      const keyMode = mode === "live" ? Mode.LIVE : Mode.TEST;
      const { secret } = await accounts.createKey({ accountId, mode: keyMode });
      return { accountId, secret };
    },
    send: (path, init) => fetch(`${gateway.url}${path}`, init),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
