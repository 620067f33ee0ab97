/** A gateway on a database of its own, with recording fakes in the places of generation and billing. */
import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import type { JWK } from "jose";
import { expect, inject } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type {
  GetBalanceResponse,
  ListTransactionsRequest,
  Transaction,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import {
  DeliverySchema,
  DeliveryService,
  DeliveryStatus,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type {
  Delivery,
  GetDeliveryRequest,
  ListDeliveriesRequest,
  RedeliverRequest,
  SendTestEventRequest,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import {
  GenerationSchema,
  GenerationService,
  Kind,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import type {
  CancelVideoRequest,
  CreateImageRequest,
  CreateVideoRequest,
  Generation,
  GetGenerationRequest,
  ListGenerationsRequest,
  Model,
  ReceiveCallbackRequest,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import { REQUEST_ID_HEADER } from "#runtime/rpc/interceptors.ts";
import { createLog } from "#runtime/log.ts";
import { generateIdentity, ownToken } from "#runtime/rpc/service-token.ts";
import { tokenInterceptor } from "#runtime/rpc/client.ts";
import type { GatewayConfig } from "../../services/gateway/config.ts";
import { start } from "../../services/gateway/service.ts";
import type { GatewayHandle } from "../../services/gateway/service.ts";
import { breaches } from "../support/answer-checks.ts";
import { testDatabase } from "../support/database.ts";

/** What the services behind the gateway answer; a test puts its own function in place. */
export type Behind = {
  createVideo: (request: CreateVideoRequest) => { generation: Generation; replayed: boolean };
  createImage: (request: CreateImageRequest) => { generation: Generation; replayed: boolean };
  getGeneration: (request: GetGenerationRequest) => { generation: Generation };
  listGenerations: (request: ListGenerationsRequest) => {
    generations: Generation[];
    hasMore: boolean;
  };
  cancelVideo: (request: CancelVideoRequest) => { generation: Generation };
  listModels: () => { models: Model[] };
  receiveCallback: (request: ReceiveCallbackRequest) => object;
  getBalance: () => Pick<GetBalanceResponse, "balance">;
  listTransactions: (request: ListTransactionsRequest) => {
    transactions: Transaction[];
    hasMore: boolean;
  };
  listDeliveries: (request: ListDeliveriesRequest) => { deliveries: Delivery[]; hasMore: boolean };
  getDelivery: (request: GetDeliveryRequest) => { delivery: Delivery; body?: string };
  redeliver: (request: RedeliverRequest) => { delivery: Delivery };
  getUsage: () => { usage: { date: string; model: string; tokens: bigint; generations: bigint }[] };
  getStatement: () => { opening: bigint; closing: bigint };
  getWebhookSecret: () => { secret: string };
  rotateWebhookSecret: () => { secret: string };
  sendTestEvent: (request: SendTestEventRequest) => { delivery: Delivery };
  listDisabledUrls: () => { urls: [] };
  enableUrl: () => { wasDisabled: boolean };
};

export type Call = { method: keyof Behind; request: object; requestId: string | null };

export type Harness = AsyncDisposable & {
  url: string;
  /** Where the public port is, whatever the public URL. */
  localUrl: string;
  /** The database, for the service's own role and for the owner of its tables. */
  databaseUrl: string;
  ownerUrl: string;
  gateway: GatewayHandle;
  behind: Behind;
  /** The calls that reached the services behind, oldest first. */
  calls: Call[];
  logged: Record<string, unknown>[];
  accounts: Client<typeof AccountService>;
  /** A fresh account with a key. */
  newKey: (mode?: "live" | "test") => Promise<{ accountId: string; secret: string }>;
  /** Sends, and fails where the answer of the API is not one that the document promises. */
  send: (path: string, init?: RequestInit) => Promise<Response>;
};

export type HarnessOptions = { clock?: Clock; config?: Partial<GatewayConfig> };

export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  await using stack = new AsyncDisposableStack();
  const clock = options.clock ?? systemClock;
  const database = stack.use(await testDatabase("gateway"));
  const identities = {
    gateway: await generateIdentity("gateway"),
    ops: await generateIdentity("ops"),
  };
  const logged: Record<string, unknown>[] = [];
  const log = createLog("test", "debug", { write: (line) => void logged.push(JSON.parse(line)) });
  const calls: Call[] = [];
  const behind = defaultBehind();
  const gateway = stack.use(
    await start(
      {
        host: "127.0.0.1",
        rpcPort: 0,
        drainMs: 5_000,
        databaseUrl: database.url,
        migrateDatabaseUrl: undefined,
        maxConnections: 3,
        natsUrl: inject("natsUrl"),
        identity: identities.gateway.privateKey,
        trusted: { keys: [identities.gateway.publicKey, identities.ops.publicKey] },
        logLevel: "debug",
        port: 0,
        publicHost: "127.0.0.1",
        publicUrl: undefined,
        assetBaseUrl: "https://media.example.com/assets",
        generationUrl: undefined,
        billingUrl: undefined,
        deliveryUrl: undefined,
        deliveryAssetsUrl: "http://127.0.0.1:9/assets",
        egressAllow: [],
        tls: undefined,
        trustedProxies: [],
        authSecret: "a secret of the tests, long enough",
        signUp: "open",
        oidc: undefined,
        ...options.config,
      },
      { clock, log, peers: peers(behind, calls) },
    ),
  );
  const accounts = accountsClient(gateway, identities.ops.privateKey, clock);
  const running = stack.move();
  return {
    url: gateway.url,
    localUrl: gateway.localUrl,
    databaseUrl: database.url,
    ownerUrl: database.ownerUrl,
    gateway,
    behind,
    calls,
    logged,
    accounts,
    newKey: async (mode = "test") => {
      const { account } = await accounts.createAccount({ name: "Example" });
      const accountId = account?.id ?? "";
      if (mode === "live") await accounts.grantProduction({ accountId });
      const keyMode = mode === "live" ? Mode.LIVE : Mode.TEST;
      const { secret } = await accounts.createKey({ accountId, mode: keyMode });
      return { accountId, secret };
    },
    send: async (path, init) => {
      const response = await fetch(`${gateway.url}${path}`, init);
      const { pathname } = new URL(path, gateway.url);
      if (!pathname.startsWith("/v1/")) return response;
      const text = await response.clone().text();
      expect(breaches(init?.method ?? "GET", response.url, response, text)).toEqual([]);
      return response;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function peers(behind: Behind, calls: Call[]) {
  const record = <M extends keyof Behind>(method: M) =>
    ((request: object, context) => {
      calls.push({ method, request, requestId: context.requestHeader.get(REQUEST_ID_HEADER) });
      return (behind[method] as (request: object) => ReturnType<Behind[M]>)(request);
    }) as (request: object, context: { requestHeader: Headers }) => ReturnType<Behind[M]>;
  return {
    generation: () =>
      createRouterTransport((router) =>
        router.service(GenerationService, {
          createVideo: record("createVideo"),
          createImage: record("createImage"),
          getGeneration: record("getGeneration"),
          listGenerations: record("listGenerations"),
          cancelVideo: record("cancelVideo"),
          listModels: record("listModels"),
          receiveCallback: record("receiveCallback"),
          getUsage: record("getUsage"),
        }),
      ),
    billing: () =>
      createRouterTransport((router) =>
        router.service(BillingService, {
          getBalance: record("getBalance"),
          listTransactions: record("listTransactions"),
          getStatement: record("getStatement"),
        }),
      ),
    delivery: () =>
      createRouterTransport((router) =>
        router.service(DeliveryService, {
          listDeliveries: record("listDeliveries"),
          getDelivery: record("getDelivery"),
          redeliver: record("redeliver"),
          getWebhookSecret: record("getWebhookSecret"),
          rotateWebhookSecret: record("rotateWebhookSecret"),
          sendTestEvent: record("sendTestEvent"),
          listDisabledUrls: record("listDisabledUrls"),
          enableUrl: record("enableUrl"),
        }),
      ),
  };
}

function accountsClient(gateway: GatewayHandle, key: JWK, clock: Clock) {
  return createClient(
    AccountService,
    gateway.memoryTransport([tokenInterceptor(ownToken(key, clock))]),
  );
}

const CREATED_AT = timestampFromDate(new Date("2026-11-17T12:01:22.107Z"));

/** Everything is accepted as it comes, with the defaults that a model would have. */
function defaultBehind(): Behind {
  return {
    createVideo: (request) => ({
      generation: video({
        id: request.generationId,
        accountId: request.accountId,
        mode: request.mode,
        model: request.model,
        input: {
          case: "video",
          value: { duration: 5, aspectRatio: "16:9", ...defined({ ...request.input }) },
        },
      }),
      replayed: false,
    }),
    createImage: (request) => ({
      generation: image({
        id: request.generationId,
        accountId: request.accountId,
        mode: request.mode,
        model: request.model,
        input: {
          case: "image",
          value: { size: "1024x1024", promptExtend: true, ...defined({ ...request.input }) },
        },
      }),
      replayed: false,
    }),
    getGeneration: ({ generationId, kind }) => ({
      generation: kind === Kind.VIDEO ? video({ id: generationId }) : image({ id: generationId }),
    }),
    listGenerations: () => ({ generations: [], hasMore: false }),
    cancelVideo: ({ generationId }) => ({
      generation: video({ id: generationId, status: Status.CANCELED, credits: 0n }),
    }),
    listModels: () => ({ models: [] }),
    receiveCallback: () => ({}),
    getBalance: () => ({
      balance: { $typeName: "media.billing.v1.Balance", available: 99_500n, reserved: 500n },
    }),
    listTransactions: () => ({ transactions: [], hasMore: false }),
    listDeliveries: () => ({ deliveries: [], hasMore: false }),
    getDelivery: ({ deliveryId }) => ({ delivery: delivery({ id: deliveryId }) }),
    redeliver: ({ deliveryId }) => ({ delivery: delivery({ id: deliveryId }) }),
    getUsage: () => ({ usage: [] }),
    getStatement: () => ({ opening: 0n, closing: 0n }),
    getWebhookSecret: () => ({ secret: "whsec_c2VjcmV0" }),
    rotateWebhookSecret: () => ({ secret: "whsec_bmV3" }),
    sendTestEvent: ({ url }) => ({ delivery: delivery({ url, type: "webhook.test" }) }),
    listDisabledUrls: () => ({ urls: [] }),
    enableUrl: () => ({ wasDisabled: false }),
  };
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export function video(fields: MessageInitShape<typeof GenerationSchema> = {}): Generation {
  return create(GenerationSchema, {
    id: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
    accountId: "acct_2zjrwfavgwd8tj2ht7shw0cw42",
    mode: Mode.TEST,
    kind: Kind.VIDEO,
    status: Status.PENDING,
    model: "beta-3.0-video",
    credits: 500n,
    input: { case: "video", value: { prompt: "a cat", duration: 5, aspectRatio: "16:9" } },
    createdAt: CREATED_AT,
    ...fields,
  });
}

export function image(fields: MessageInitShape<typeof GenerationSchema> = {}): Generation {
  return create(GenerationSchema, {
    id: "igen_6v338zvjgt6mh27b8e37xe8j4f",
    accountId: "acct_2zjrwfavgwd8tj2ht7shw0cw42",
    mode: Mode.TEST,
    kind: Kind.IMAGE,
    status: Status.SUCCESS,
    model: "gamma-image-3.0-pro",
    credits: 42n,
    progress: 100,
    output: [
      { key: "a/igen/0.png", contentType: "image/png", width: 1024, height: 1024, bytes: 9n },
    ],
    input: { case: "image", value: { prompt: "a cat", size: "1024x1024", promptExtend: true } },
    createdAt: CREATED_AT,
    ...fields,
  });
}

export function delivery(fields: MessageInitShape<typeof DeliverySchema> = {}): Delivery {
  return create(DeliverySchema, {
    id: "whd_3mm4vmd5y3yxtqzkbvgd6s4cwa",
    eventId: "evt_1tjwebz633t0te6sv0kvy2wajz",
    type: "video.generation.completed",
    generationId: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
    url: "https://shop.example.com/hooks/media",
    status: DeliveryStatus.PENDING,
    nextAttemptAt: CREATED_AT,
    createdAt: CREATED_AT,
    ...fields,
  });
}

/** The headers of a JSON request with a key. */
export function headersOf(secret: string, more: Record<string, string> = {}) {
  return { authorization: `Bearer ${secret}`, "content-type": "application/json", ...more };
}

/** POST with a JSON body. */
export function post(
  secret: string,
  body: unknown,
  more: Record<string, string> = {},
): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method: "POST", headers: headersOf(secret, more), body: text };
}

export type ErrorAnswer = {
  error: {
    type: string;
    code: string;
    message: string;
    param?: string;
    request_id: string;
    details?: Record<string, unknown>;
    errors?: { code: string; message: string; param: string }[];
  };
};

export async function errorOf(response: Response): Promise<ErrorAnswer["error"]> {
  return ((await response.json()) as ErrorAnswer).error;
}
