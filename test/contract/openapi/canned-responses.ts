/** Successful responses of the services behind the gateway, so that only the gateway can refuse a request. */
import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import {
  CreateFileResponseSchema,
  DeliverySchema,
  DeliveryStatus,
  GetDeliveryResponseSchema,
  GetFileResponseSchema,
  RedeliverResponseSchema,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GetBalanceResponseSchema } from "#gen/proto/media/billing/v1/billing_pb.ts";
import {
  Availability,
  CancelGenerationResponseSchema,
  CreateImageResponseSchema,
  CreateVideoResponseSchema,
  GenerationSchema,
  GetGenerationResponseSchema,
  Kind,
  ListModelsResponseSchema,
  ModelSchema,
  Status,
  type Generation,
} from "#gen/proto/media/generation/v1/generation_pb.ts";

/** The storage key of the file that generations in these responses have. */
export const CANNED_KEY = "a/0";

type Request = { generationId?: string; deliveryId?: string; fileId?: string; kind?: Kind };

const AT = timestampFromDate(new Date("2026-11-17T12:01:22.107Z"));

/** A generation that has finished, unless `status` says otherwise. */
export function generation(
  { generationId = "", kind = Kind.VIDEO }: Request,
  status: Status = Status.SUCCESS,
): Generation {
  const isVideo = kind === Kind.VIDEO;
  const file = { key: CANNED_KEY, contentType: "video/mp4", width: 1280, height: 720, bytes: 9n };
  const ofVideo = { duration: 5, thumbnailKey: "a/0.webp" };
  return create(GenerationSchema, {
    id: generationId,
    accountId: "acct_2zjrwfavgwd8tj2ht7shw0cw42",
    mode: Mode.TEST,
    kind,
    status,
    model: "m",
    credits: 5n,
    output: status === Status.SUCCESS ? [isVideo ? { ...file, ...ofVideo } : file] : [],
    input: isVideo
      ? { case: "video", value: { prompt: "a cat", duration: 5, aspectRatio: "16:9" } }
      : { case: "image", value: { prompt: "a cat", size: "1024x1024", promptExtend: true } },
    createdAt: AT,
  });
}

function delivery({ deliveryId = "" }: Request) {
  return create(DeliverySchema, {
    id: deliveryId,
    eventId: "evt_1tjwebz633t0te6sv0kvy2wajz",
    type: "video.generation.completed",
    generationId: "vgen_2zjrwfavgwd8tj2ht7shw0cw42",
    url: "https://shop.example.com/hooks/media",
    status: DeliveryStatus.PENDING,
    attempts: [{ at: AT, statusCode: 500, durationMs: 12, responseBody: "" }],
    nextAttemptAt: AT,
    createdAt: AT,
  });
}

/** The models that the document's examples name. */
const models = ["alpha-2.0", "beta-3.0-video"].map((id) =>
  create(ModelSchema, {
    id,
    kind: Kind.VIDEO,
    inputs: ["text"],
    requiredInputs: ["text"],
    availability: Availability.AVAILABLE,
    pricing: { unit: "second", unitQuantity: 5, tokens: 210n },
  }),
);

const file = ({ fileId = "" }: Request) => ({
  id: fileId,
  key: "a.png",
  contentType: "image/png",
  bytes: 9n,
  width: 64,
  height: 48,
  createdAt: AT,
});

const RESPONSES: Readonly<Record<string, (request: Request) => Message>> = {
  CreateVideo: (request) => create(CreateVideoResponseSchema, { generation: generation(request) }),
  CreateImage: (request) =>
    create(CreateImageResponseSchema, {
      generation: generation({ ...request, kind: Kind.IMAGE }),
    }),
  GetGeneration: (request) =>
    create(GetGenerationResponseSchema, { generation: generation(request) }),
  CancelGeneration: (request) =>
    create(CancelGenerationResponseSchema, { generation: generation(request, Status.CANCELED) }),
  ListModels: () => create(ListModelsResponseSchema, { models }),
  GetBalance: () => create(GetBalanceResponseSchema, { balance: { available: 1n } }),
  GetDelivery: (request) => create(GetDeliveryResponseSchema, { delivery: delivery(request) }),
  CreateFile: (request) => create(CreateFileResponseSchema, { file: file(request) }),
  GetFile: (request) => create(GetFileResponseSchema, { file: file(request) }),
  Redeliver: (request) => create(RedeliverResponseSchema, { delivery: delivery(request) }),
};

/** The response of the RPC; an empty message, such as an empty list, for RPCs not listed above. */
export function cannedResponse(method: string, output: DescMessage, request: object): Message {
  return RESPONSES[method]?.(request) ?? create(output);
}
