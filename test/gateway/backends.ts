/** Recording fakes of generation, billing and delivery, and the objects that they return. */
import { readFileSync } from "node:fs";
import {
  create,
  fromJsonString,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  type DescService,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createRouterTransport, type Transport } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { AlertSettingsSchema, BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import {
  DeliverySchema,
  DeliveryService,
  DeliveryStatus,
  FileSchema,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { CatalogSchema } from "#gen/proto/media/generation/v1/catalog_pb.ts";
import {
  GenerationSchema,
  GenerationService,
  Kind,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { contextSender, REQUEST_ID_HEADER } from "#runtime/rpc/context.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { checkMessage } from "#runtime/rpc/server/interceptors.ts";

/** A service's answers, by method. */
type Answers<S extends DescService> = {
  [M in keyof S["method"]]: S["method"][M] extends DescMethodUnary<infer I, infer O>
    ? (request: MessageShape<I>) => MessageInitShape<O>
    : never;
};

const SERVICES = {
  generation: GenerationService,
  billing: BillingService,
  delivery: DeliveryService,
};

type GenerationAnswers = Answers<typeof GenerationService>;

/** The responses of the fake services; a test replaces single functions. What several services have is generation's. */
export type Backends = GenerationAnswers &
  Omit<Answers<typeof BillingService>, keyof GenerationAnswers> &
  Omit<Answers<typeof DeliveryService>, keyof GenerationAnswers>;

export type Call = { method: keyof Backends; request: object; requestId: string | null };

/** Asked for all the time, so its calls are not recorded. */
const UNRECORDED = "claimAlerts";

const CREATED_AT = timestampFromDate(new Date("2026-11-17T12:01:22.107Z"));

/** Transports to the fake services; each call is recorded in `calls`, and refused where it breaks a rule of its RPC. */
export function fakePeers(backends: Backends, calls: Call[]) {
  const record =
    (method: keyof Backends, descriptor: DescMethod) =>
    (request: Message, context: { requestHeader: Headers }) => {
      const requestId = context.requestHeader.get(REQUEST_ID_HEADER);
      if (method !== UNRECORDED) calls.push({ method, request, requestId });
      checkMessage(descriptor, request);
      return (backends[method] as (request: object) => object)(request);
    };
  const peer = (service: DescService) => {
    const methods = Object.entries(service.method).map(([name, descriptor]) => [
      name,
      record(name as keyof Backends, descriptor),
    ]);
    const implementation = Object.fromEntries(methods) as object;
    return (): Transport =>
      createRouterTransport((router) => void router.service(service, implementation), {
        transport: { interceptors: [contextSender] },
      });
  };
  const { generation, billing, delivery: deliveries } = SERVICES;
  return { generation: peer(generation), billing: peer(billing), delivery: peer(deliveries) };
}

/** An answer that refuses each call. */
export function refusing(
  reason: keyof typeof ErrorReason,
  message: string,
  more: { field?: string; metadata?: Record<string, string> } = {},
): () => never {
  return () => {
    throw refusal({ reason: ErrorReason[reason], message, ...more });
  };
}

const ANSWERS = {
  createVideo: ({ generationId: id, accountId, mode, model, input }) => {
    const value = { duration: 5, aspectRatio: "16:9", ...defined({ ...input }) };
    const of = { id, accountId, mode, model };
    return { generation: video({ ...of, input: { case: "video", value } }), replayed: false };
  },
  createImage: ({ generationId: id, accountId, mode, model, input }) => {
    const value = { size: "1024x1024", promptExtend: true, ...defined({ ...input }) };
    const of = { id, accountId, mode, model };
    return { generation: image({ ...of, input: { case: "image", value } }), replayed: false };
  },
  getGeneration: ({ generationId: id, kind }) => ({ generation: ofKind(kind)({ id }) }),
  cancelGeneration: ({ generationId: id, kind }) => ({
    generation: ofKind(kind)({ id, status: Status.CANCELED, credits: 0n, output: [] }),
  }),
  getBalance: () => ({
    balance: { $typeName: "media.billing.v1.Balance", available: 99_500n, reserved: 500n },
  }),
  getTokenLimits: () => ({ alerts: create(AlertSettingsSchema, { mail: true }) }),
  getDelivery: ({ deliveryId: id }) => ({ delivery: delivery({ id }) }),
  redeliver: ({ deliveryId: id }) => ({ delivery: delivery({ id }) }),
  getWebhookSecret: () => ({ secret: "whsec_c2VjcmV0", createdAt: CREATED_AT }),
  rotateWebhookSecret: ({ userId }) => ({
    secret: "whsec_bmV3",
    createdAt: CREATED_AT,
    createdBy: userId,
  }),
  sendTestEvent: ({ url }) => ({ delivery: delivery({ url, type: "webhook.test" }) }),
  createFile: ({ fileId: id }) => ({ file: file({ id }), replayed: false }),
  getFile: ({ fileId: id }) => ({ file: file({ id }) }),
} satisfies Partial<Backends>;

/** Accepts everything and returns it with a model's defaults; where there is nothing to return, the answer is empty. */
export function defaultBackends(): Backends {
  const names = Object.values(SERVICES).flatMap(({ method }) => Object.keys(method));
  const empty = Object.fromEntries(names.map((name) => [name, () => ({})])) as unknown as Backends;
  return { ...empty, ...ANSWERS };
}

/** Every generation that is created or read has these fields; looks find that it has ended where its status says so. */
export function allWith(
  fields: MessageInitShape<typeof GenerationSchema>,
  replayed = false,
): Pick<Backends, "createVideo" | "createImage" | "getGeneration" | "findEnded"> {
  const answer = ({ generationId: id }: { generationId: string }) => ({
    generation: (id.startsWith("vgen") ? video : image)({ id, ...fields }),
    replayed,
  });
  const { status = Status.PENDING, progress = 0 } = fields;
  const isEnded = status !== Status.PENDING && status !== Status.PROCESSING;
  return {
    createVideo: answer,
    createImage: answer,
    getGeneration: answer,
    findEnded: ({ generations }) => {
      const ids = generations.map(({ generationId }) => generationId);
      return isEnded
        ? { generationIds: ids }
        : { states: ids.map((generationId) => ({ generationId, status, progress })) };
    },
  };
}

const ofKind = (kind: Kind) => (kind === Kind.VIDEO ? video : image);

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The models of the catalog, as generation lists them. */
export const { models: catalogModels } = fromJsonString(
  CatalogSchema,
  readFileSync("services/generation/catalog/models.json", "utf8"),
);

/** Makes messages of a type that have these fields, unless others are given. */
const makerOf =
  <S extends DescMessage>(schema: S, usual: MessageInitShape<S>) =>
  (fields: Partial<MessageInitShape<S>> = {}): MessageShape<S> =>
    create(schema, { ...usual, ...fields });

const GENERATION = {
  accountId: "acct_2zjrwfavgwd8tj2ht7shw0cw42",
  mode: Mode.TEST,
  createdAt: CREATED_AT,
};

export const video = makerOf(GenerationSchema, {
  ...GENERATION,
  id: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
  kind: Kind.VIDEO,
  status: Status.PENDING,
  model: "beta-3.0-video",
  credits: 500n,
  input: { case: "video", value: { prompt: "a cat", duration: 5, aspectRatio: "16:9" } },
});

export const image = makerOf(GenerationSchema, {
  ...GENERATION,
  id: "igen_6v338zvjgt6mh27b8e37xe8j4f",
  kind: Kind.IMAGE,
  status: Status.SUCCESS,
  model: "gamma-image-3.0-pro",
  credits: 42n,
  progress: 100,
  output: [{ key: "a/igen/0.png", contentType: "image/png", width: 1024, height: 1024, bytes: 9n }],
  input: { case: "image", value: { prompt: "a cat", size: "1024x1024", promptExtend: true } },
});

export const file = makerOf(FileSchema, {
  id: "file_5q0m8tjx1n9c6w2hzd4rk7vbya",
  key: "a.png",
  contentType: "image/png",
  bytes: 9n,
  width: 64,
  height: 48,
  createdAt: CREATED_AT,
  expiresAt: CREATED_AT,
});

export const delivery = makerOf(DeliverySchema, {
  id: "whd_3mm4vmd5y3yxtqzkbvgd6s4cwa",
  eventId: "evt_1tjwebz633t0te6sv0kvy2wajz",
  type: "video.generation.completed",
  generationId: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
  url: "https://shop.example.com/hooks/media",
  status: DeliveryStatus.PENDING,
  nextAttemptAt: CREATED_AT,
  createdAt: CREATED_AT,
});
