/** The whole service in this process; tests can override the gateway's calls to the other services. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { createClient, type Client, type Transport } from "@connectrpc/connect";
import postgres from "postgres";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { createLog } from "#runtime/log.ts";
import { overMemory, type Connect } from "#runtime/rpc/client/client.ts";
import { checkMessage } from "#runtime/rpc/server/interceptors.ts";
import type { Service, ServiceName } from "#runtime/service/service.ts";
import { generateIdentity } from "#runtime/rpc/service-identity.ts";
import { start as startBilling } from "../../../services/billing/service.ts";
import { start as startDelivery } from "../../../services/delivery/service.ts";
import { start as startGateway } from "../../../services/gateway/service.ts";
import { defaultCatalogPath } from "../../../services/generation/catalog/catalog.ts";
import { start as startGeneration } from "../../../services/generation/service.ts";
import { start as startSimulator } from "../../../services/simulator/service.ts";
import { testDatabases } from "../../support/database.ts";
import {
  deliveryConfig,
  gatewayConfig,
  generationConfig,
  serviceConfig,
} from "../../support/service-configs.ts";
import { simulatorConfig } from "../../support/simulator-config.ts";
import { CANNED_KEY, cannedResponse } from "./canned-responses.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Replaces a call of the gateway: returns its response, throws its error, or returns undefined to make the call. */
export type CallOverride = (
  method: string,
  request: object,
) => Message | undefined | Promise<Message | undefined>;

export type ApiKey = { accountId: string; secret: string };

export type ServiceUnderTest = AsyncDisposable & {
  url: string;
  /** `isCanned` answers every call that `override` leaves with a canned response. */
  calls: {
    override: CallOverride | undefined;
    isCanned: boolean;
    /** Faults of messages that the gateway sent: the edge has let through what an RPC's rules refuse. */
    brokenRules: string[];
  };
  accounts: Client<typeof AccountService>;
  /** A new account with production access and that many live Tokens, and a key of it. */
  newKey: (mode?: "live" | "test", tokens?: bigint) => Promise<ApiKey>;
  /** The owner of the gateway's tables, for states that no RPC sets. */
  owner: postgres.Sql;
  /** The error lines that services logged. */
  logged: string[];
};

/** Long enough for any image of the simulator, and short enough for tests of the time-out. */
const IMAGE_WAIT_SECONDS = 8;

/** Models that are listed but unavailable: one without a price, one disabled. */
export const UNAVAILABLE_MODELS = { image: "contract-unpriced", video: "contract-disabled" };

type Model = {
  id: string;
  kind: string;
  inputs: string[];
  required_inputs: string[];
  availability: string;
  max_reference_images: number;
  parameters: object;
  pricing?: object;
};

export async function startServiceUnderTest(): Promise<ServiceUnderTest> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const databases = stack.use(await testDatabases());
  const names = ["gateway", "generation", "billing", "delivery", "ops"] as const;
  const identities = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await generateIdentity(name)] as const)),
  );
  const logged: string[] = [];
  const log = createLog("service", "error", { write: (line) => void logged.push(line) });
  const started = new Map<ServiceName, Service>();
  const memory = (name: ServiceName) =>
    overMemory(() => started.get(name) ?? fail(`${name} is not started`));
  const peers = {
    generation: memory("generation"),
    billing: memory("billing"),
    delivery: memory("delivery"),
  };
  const own = (name: ServiceName) => ({
    databaseUrl: databases.urls[name].url,
    identity: identities[name]?.privateKey ?? fail(name),
    trusted: { keys: Object.values(identities).map(({ publicKey }) => publicKey) },
    maxConnections: 8,
    drainMs: 2_000,
    logLevel: "error",
  });
  const use = async <T extends Service>(name: ServiceName, starting: Promise<T>) => {
    const service = stack.use(await starting);
    started.set(name, service);
    return service;
  };
  await use("billing", startBilling(serviceConfig(own("billing")), { log }));
  const delivery = await use(
    "delivery",
    startDelivery(deliveryConfig({ ...own("delivery"), dataDir: folder.path, maxCopies: 8 }), {
      log,
    }),
  );
  const catalogPath = join(folder.path, "models.json");
  await writeFile(catalogPath, await catalogWithTestModels());
  const simulator = stack.use(
    await startSimulator(simulatorConfig(join(folder.path, "simulator"), { paceMs: 20 }), { log }),
  );
  await use(
    "generation",
    startGeneration(
      generationConfig({
        ...own("generation"),
        catalogPath,
        liveProvider: "simulator",
        concurrency: 16,
        simulatorUrl: simulator.url,
      }),
      { log, peers },
    ),
  );
  const calls: ServiceUnderTest["calls"] = {
    override: undefined,
    isCanned: false,
    brokenRules: [],
  };
  const overridden = Object.fromEntries(
    Object.entries(peers).map(([name, connect]) => [name, withOverrides(connect, calls)]),
  );
  const canned = join(folder.path, "assets", CANNED_KEY);
  await mkdir(dirname(canned), { recursive: true });
  await writeFile(canned, "bytes");
  const gateway = await startGateway(
    gatewayConfig({ ...own("gateway"), deliveryAssetsUrls: [delivery.assetsUrl] }),
    { log, peers: overridden, imageWaitSeconds: IMAGE_WAIT_SECONDS },
  );
  stack.use(gateway);
  const accounts = createClient(AccountService, gateway.directTransport("ops"));
  const billing = createClient(BillingService, peers.billing("ops"));
  const owner = postgres(databases.urls.gateway.ownerUrl, { max: 1, onnotice: () => {} });
  stack.defer(() => owner.end());
  const running = stack.move();
  return {
    url: gateway.localUrl,
    calls,
    accounts,
    owner,
    logged,
    newKey: async (mode = "test", tokens = 0n) => {
      const { account } = await accounts.createAccount({ name: "Contract" });
      const accountId = account?.id ?? "";
      await accounts.grantProduction({ accountId });
      if (tokens > 0n) await billing.recharge({ accountId, mode: Mode.LIVE, tokens });
      const { secret } = await accounts.createKey({
        accountId,
        mode: mode === "live" ? Mode.LIVE : Mode.TEST,
      });
      return { accountId, secret };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function fail(what: string): never {
  throw new Error(what);
}

function withOverrides(connect: Connect, calls: ServiceUnderTest["calls"]): Connect {
  return (caller) => {
    const transport = connect(caller);
    const unary = (async (method, ...rest) => {
      const request = rest[3] as object;
      noteBrokenRules(calls.brokenRules, method, rest[3]);
      const replacement = await calls.override?.(method.name, request);
      const message =
        replacement ??
        (calls.isCanned ? cannedResponse(method.name, method.output, request) : undefined);
      if (!message) return transport.unary(method, ...rest);
      const none = { header: new Headers(), trailer: new Headers() };
      return { stream: false, service: method.parent, method, message, ...none };
    }) as Transport["unary"];
    return { unary, stream: (...call) => transport.stream(...call) };
  };
}

/** Within one process nothing but the edge checks what clients send. */
function noteBrokenRules(
  found: string[],
  method: DescMethod,
  request: Record<string, unknown>,
): void {
  try {
    checkMessage(method, create(method.input, request));
  } catch (error) {
    found.push(`${method.name}: ${(error as Error).message}`);
  }
}

/** The real catalog, plus models of each kind that cause the errors under test. */
async function catalogWithTestModels(): Promise<string> {
  const catalog = JSON.parse(await readFile(defaultCatalogPath, "utf8")) as { models: Model[] };
  const like = (kind: string, id: string, more: Partial<Model>): Model => {
    const first = catalog.models.find((model) => model.kind === kind) ?? fail(`no ${kind}`);
    return { ...first, id, ...more };
  };
  const { pricing: _, ...unpriced } = like("KIND_IMAGE", UNAVAILABLE_MODELS.image, {});
  const variants = ["KIND_IMAGE", "KIND_VIDEO"].flatMap((kind) => {
    const name = kind.slice("KIND_".length).toLowerCase();
    return [
      like(kind, `contract-${name}-of-text`, {
        inputs: ["text"],
        max_reference_images: 0,
        parameters: {},
      }),
      like(kind, `contract-${name}-of-image`, { required_inputs: ["text", "image"] }),
    ];
  });
  const disabled = { availability: "AVAILABILITY_DISABLED" };
  catalog.models.push(
    unpriced,
    like("KIND_VIDEO", UNAVAILABLE_MODELS.video, disabled),
    ...variants,
  );
  return JSON.stringify(catalog);
}
