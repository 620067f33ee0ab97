/** Recording fakes of generation, billing and delivery, and the objects that they return. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import {
  createRouterTransport,
  type ConnectRouter,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  AlertSettingsSchema,
  BillingService,
  type AlertSettings,
  type ConfirmAlertRequest,
  type CountTransactionsRequest,
  type DueAlert,
  type GetBalanceResponse,
  type ListTransactionsRequest,
  type SetAlertsRequest,
  type SetTokenLimitsRequest,
  type TokenLimit,
  type Transaction,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import {
  DeliverySchema,
  DeliveryService,
  DeliveryStatus,
  FileSchema,
  type CountDeliveriesRequest,
  type CreateFileRequest,
  type DeleteFileRequest,
  type Delivery,
  type File,
  type GetDeliveryRequest,
  type GetFileRequest,
  type ListDeliveriesRequest,
  type RedeliverRequest,
  type RotateWebhookSecretRequest,
  type SendAlertRequest,
  type SendTestEventRequest,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import {
  GenerationSchema,
  GenerationService,
  Kind,
  Status,
  type ChargeSchema,
  type CancelGenerationRequest,
  type CountGenerationsRequest,
  type CreateImageRequest,
  type CreateVideoRequest,
  type DeleteGenerationRequest,
  type FindEndedRequest,
  type FindGenerationsRequest,
  type Generation,
  type GetGenerationRequest,
  type ListChargesRequest,
  type ListGenerationsRequest,
  type SearchGenerationsRequest,
  type Model,
  type ReceiveCallbackRequest,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { REQUEST_ID_HEADER } from "#runtime/rpc/context.ts";

/** The responses of the fake services; a test replaces single functions. */
export type Backends = {
  createVideo: (request: CreateVideoRequest) => { generation: Generation; replayed: boolean };
  createImage: (request: CreateImageRequest) => { generation: Generation; replayed: boolean };
  getGeneration: (request: GetGenerationRequest) => { generation: Generation };
  findEnded: (request: FindEndedRequest) => {
    generationIds: string[];
    states?: { generationId: string; status: Status; progress: number }[];
  };
  listGenerations: (request: ListGenerationsRequest) => {
    generations: Generation[];
    hasMore: boolean;
  };
  searchGenerations: (request: SearchGenerationsRequest) => {
    generations: Generation[];
    nextAfter?: string;
    searchedBackTo?: Timestamp;
  };
  countGenerations: (request: CountGenerationsRequest) => {
    count: bigint;
    tokens: bigint;
    countedBackTo?: Timestamp;
  };
  findGenerations: (request: FindGenerationsRequest) => { generations: Generation[] };
  cancelGeneration: (request: CancelGenerationRequest) => { generation: Generation };
  deleteGeneration: (request: DeleteGenerationRequest) => object;
  listModels: () => { models: Model[] };
  checkCallback: () => object;
  receiveCallback: (request: ReceiveCallbackRequest) => object;
  getBalance: () => Pick<GetBalanceResponse, "balance"> & { limits?: TokenLimit[] };
  listTransactions: (request: ListTransactionsRequest) => {
    transactions: Transaction[];
    hasMore: boolean;
  };
  countTransactions: (request: CountTransactionsRequest) => Counted;
  countDeliveries: (request: CountDeliveriesRequest) => Counted;
  listDeliveries: (request: ListDeliveriesRequest) => { deliveries: Delivery[]; hasMore: boolean };
  getDelivery: (request: GetDeliveryRequest) => { delivery: Delivery; body?: string };
  redeliver: (request: RedeliverRequest) => { delivery: Delivery };
  getUsage: () => { usage: UsageInit[] };
  listCharges: (request: ListChargesRequest) => {
    charges: MessageInitShape<typeof ChargeSchema>[];
    hasMore: boolean;
  };
  getStatement: () => { opening: bigint; closing: bigint };
  getTokenLimits: () => { limits: TokenLimit[]; alerts: AlertSettings };
  setTokenLimits: (request: SetTokenLimitsRequest) => object;
  setAlerts: (request: SetAlertsRequest) => object;
  /** Asked for all the time, so its calls are not recorded. */
  claimAlerts: () => { alerts: DueAlert[] };
  confirmAlert: (request: ConfirmAlertRequest) => object;
  sendAlert: (request: SendAlertRequest) => object;
  getWebhookSecret: () => WebhookSecret;
  rotateWebhookSecret: (request: RotateWebhookSecretRequest) => WebhookSecret;
  sendTestEvent: (request: SendTestEventRequest) => { delivery: Delivery };
  listDisabledUrls: () => { urls: [] };
  enableUrl: () => { wasDisabled: boolean };
  createFile: (request: CreateFileRequest) => { file: File; replayed: boolean };
  getFile: (request: GetFileRequest) => { file: File };
  deleteFile: (request: DeleteFileRequest) => object;
};

type Counted = { count: bigint; countedBackTo?: Timestamp };

type UsageInit = {
  date?: string;
  model?: string;
  tokens: bigint;
  generations: bigint;
  keyId?: string;
  endUser?: string;
  reserved?: bigint;
};

type WebhookSecret = { secret: string; createdAt: Timestamp; createdBy?: string };

export type Call = { method: keyof Backends; request: object; requestId: string | null };

const CREATED_AT = timestampFromDate(new Date("2026-11-17T12:01:22.107Z"));

/** Transports to the fake services; each call is recorded in `calls`. */
export function fakePeers(backends: Backends, calls: Call[]) {
  const record = <M extends keyof Backends>(method: M) =>
    ((request: object, context) => {
      calls.push({ method, request, requestId: context.requestHeader.get(REQUEST_ID_HEADER) });
      return (backends[method] as (request: object) => ReturnType<Backends[M]>)(request);
    }) as (request: object, context: { requestHeader: Headers }) => ReturnType<Backends[M]>;
  return {
    generation: (interceptors: Interceptor[]) =>
      routerTransport(interceptors, (router) =>
        router.service(GenerationService, {
          createVideo: record("createVideo"),
          createImage: record("createImage"),
          getGeneration: record("getGeneration"),
          findEnded: record("findEnded"),
          listGenerations: record("listGenerations"),
          searchGenerations: record("searchGenerations"),
          countGenerations: record("countGenerations"),
          findGenerations: record("findGenerations"),
          cancelGeneration: record("cancelGeneration"),
          deleteGeneration: record("deleteGeneration"),
          listModels: record("listModels"),
          checkCallback: record("checkCallback"),
          receiveCallback: record("receiveCallback"),
          getUsage: record("getUsage"),
          listCharges: record("listCharges"),
        }),
      ),
    billing: (interceptors: Interceptor[]) =>
      routerTransport(interceptors, (router) =>
        router.service(BillingService, {
          getBalance: record("getBalance"),
          listTransactions: record("listTransactions"),
          countTransactions: record("countTransactions"),
          getStatement: record("getStatement"),
          getTokenLimits: record("getTokenLimits"),
          setTokenLimits: record("setTokenLimits"),
          setAlerts: record("setAlerts"),
          claimAlerts: () => backends.claimAlerts(),
          confirmAlert: record("confirmAlert"),
        }),
      ),
    delivery: (interceptors: Interceptor[]) =>
      routerTransport(interceptors, (router) =>
        router.service(DeliveryService, {
          listDeliveries: record("listDeliveries"),
          countDeliveries: record("countDeliveries"),
          getDelivery: record("getDelivery"),
          redeliver: record("redeliver"),
          getWebhookSecret: record("getWebhookSecret"),
          rotateWebhookSecret: record("rotateWebhookSecret"),
          sendTestEvent: record("sendTestEvent"),
          sendAlert: record("sendAlert"),
          listDisabledUrls: record("listDisabledUrls"),
          enableUrl: record("enableUrl"),
          createFile: record("createFile"),
          getFile: record("getFile"),
          deleteFile: record("deleteFile"),
        }),
      ),
  };
}

function routerTransport(
  interceptors: Interceptor[],
  routes: (router: ConnectRouter) => void,
): Transport {
  return createRouterTransport(routes, { transport: { interceptors } });
}

/** Accepts everything and returns it with a model's defaults. */
export function defaultBackends(): Backends {
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
    findEnded: () => ({ generationIds: [] }),
    getGeneration: ({ generationId, kind }) => ({
      generation: kind === Kind.VIDEO ? video({ id: generationId }) : image({ id: generationId }),
    }),
    listGenerations: () => ({ generations: [], hasMore: false }),
    searchGenerations: () => ({ generations: [] }),
    countGenerations: () => ({ count: 0n, tokens: 0n }),
    findGenerations: () => ({ generations: [] }),
    cancelGeneration: ({ generationId, kind }) => ({
      generation: (kind === Kind.VIDEO ? video : image)({
        id: generationId,
        status: Status.CANCELED,
        credits: 0n,
        output: [],
      }),
    }),
    deleteGeneration: () => ({}),
    listModels: () => ({ models: [] }),
    checkCallback: () => ({}),
    receiveCallback: () => ({}),
    getBalance: () => ({
      balance: { $typeName: "media.billing.v1.Balance", available: 99_500n, reserved: 500n },
    }),
    listTransactions: () => ({ transactions: [], hasMore: false }),
    countTransactions: () => ({ count: 0n }),
    listDeliveries: () => ({ deliveries: [], hasMore: false }),
    countDeliveries: () => ({ count: 0n }),
    getDelivery: ({ deliveryId }) => ({ delivery: delivery({ id: deliveryId }) }),
    redeliver: ({ deliveryId }) => ({ delivery: delivery({ id: deliveryId }) }),
    getUsage: () => ({ usage: [] }),
    listCharges: () => ({ charges: [], hasMore: false }),
    getStatement: () => ({ opening: 0n, closing: 0n }),
    getTokenLimits: () => ({ limits: [], alerts: create(AlertSettingsSchema, { mail: true }) }),
    setTokenLimits: () => ({}),
    setAlerts: () => ({}),
    claimAlerts: () => ({ alerts: [] }),
    confirmAlert: () => ({}),
    sendAlert: () => ({}),
    getWebhookSecret: () => ({ secret: "whsec_c2VjcmV0", createdAt: CREATED_AT }),
    rotateWebhookSecret: ({ userId }) => ({
      secret: "whsec_bmV3",
      createdAt: CREATED_AT,
      createdBy: userId,
    }),
    sendTestEvent: ({ url }) => ({ delivery: delivery({ url, type: "webhook.test" }) }),
    listDisabledUrls: () => ({ urls: [] }),
    enableUrl: () => ({ wasDisabled: false }),
    createFile: ({ fileId }) => ({ file: file({ id: fileId }), replayed: false }),
    getFile: ({ fileId }) => ({ file: file({ id: fileId }) }),
    deleteFile: () => ({}),
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

export function file(fields: MessageInitShape<typeof FileSchema> = {}): File {
  return create(FileSchema, {
    id: "file_5q0m8tjx1n9c6w2hzd4rk7vbya",
    key: "a.png",
    contentType: "image/png",
    bytes: 9n,
    width: 64,
    height: 48,
    createdAt: CREATED_AT,
    expiresAt: CREATED_AT,
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
