/** A scenario for each documented error code and for success, the same for all operations where possible. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect } from "vitest";
import {
  CreateImageResponseSchema,
  GenerationErrorSchema,
  Kind,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { newApiKey } from "../../../services/gateway/domain/api-key.ts";
import { generation } from "./canned-responses.ts";
import { formOf, sendRequest, type ApiResponse, type RequestOptions } from "./client.ts";
import {
  exampleId,
  operations,
  prefix,
  smallestExample,
  type Json,
  type Operation,
} from "./document.ts";
import { makeImage } from "../../support/make-media.ts";
import { UNAVAILABLE_MODELS, type ApiKey, type ServiceUnderTest } from "./service-under-test.ts";

export type ScenarioContext = {
  service: ServiceUnderTest;
  /** A key of an account without rate limits. */
  key: ApiKey;
  /** The catalog, as listed by the API. */
  models: {
    id: string;
    kind: string;
    inputs: string[];
    required_inputs: string[];
    parameters: object;
    availability: string;
  }[];
};

/** What the gateway reads itself. */
const REQUESTS = "/requests";

type Scenario = (context: ScenarioContext, operation: Operation) => Promise<ApiResponse>;

const send = (
  { service, key }: ScenarioContext,
  operation: Operation,
  options: RequestOptions = {},
) => sendRequest(service.url, operation, { secret: key.secret, ...options });

/** The smallest example with these fields, as JSON or as a form. */
const bodyOf = (operation: Operation, more: { [name: string]: Json }): RequestOptions => {
  const fields = { ...smallestExample(operation), ...more };
  return operation.body ? { body: JSON.stringify(fields) } : { form: formOf(operation, fields) };
};

const hasBody = ({ body, form }: Operation) => body !== undefined || form !== undefined;
const isPublic = (operation: Operation) => operation.prefix === prefix;

/** Sends the operation's request while `override` replaces the gateway's calls to other services. */
async function withOverride(
  context: ScenarioContext,
  operation: Operation,
  override: ServiceUnderTest["calls"]["override"],
): Promise<ApiResponse> {
  context.service.calls.override = override;
  try {
    return await send(context, operation);
  } finally {
    context.service.calls.override = undefined;
  }
}

const refusedWith =
  (reason: ErrorReason, metadata: Record<string, string> = {}): Scenario =>
  (context, operation) =>
    withOverride(context, operation, () => {
      throw refusal({ reason, message: "Refused.", metadata });
    });

const failedWith =
  (code: Code): Scenario =>
  (context, operation) =>
    withOverride(context, operation, () => {
      throw new ConnectError("cut off", code);
    });

const simulatedFailure =
  (code: string): Scenario =>
  (context, operation) =>
    isPublic(operation)
      ? send(context, operation, bodyOf(operation, { metadata: { simulate: `fail:${code}` } }))
      : withOverride(context, operation, imageThat(Status.FAILED, code));

/** Answers the create of an image with one of that status. */
const imageThat =
  (status: Status, code = ""): ServiceUnderTest["calls"]["override"] =>
  (method, request) => {
    if (method !== "CreateImage") return undefined;
    const image = generation({ ...request, kind: Kind.IMAGE }, status);
    if (status === Status.FAILED) {
      image.error = create(GenerationErrorSchema, { code, message: "It failed." });
    }
    return create(CreateImageResponseSchema, { generation: image });
  };

const withChangedRows =
  (change: string): Scenario =>
  async (context, operation) => {
    const { accountId, secret } = await context.service.newKey("live");
    await context.service.owner.unsafe(`${change} where account_id = '${accountId}'`);
    return send(context, operation, { secret });
  };

/** The kind of the model in the operation's smallest example. */
const kindOf = (context: ScenarioContext, operation: Operation) =>
  context.models.find(({ id }) => id === smallestExample(operation)["model"])?.kind ?? "";

const withModel =
  (
    choose: (context: ScenarioContext, kind: string) => string | undefined,
    more: (operation: Operation) => { [name: string]: Json } = () => ({}),
  ): Scenario =>
  (context, operation) => {
    const model = choose(context, kindOf(context, operation));
    if (model === undefined) throw new Error("the catalog has no such model");
    return send(context, operation, bodyOf(operation, { model, ...more(operation) }));
  };

const availableModels = (context: ScenarioContext, kind: string) =>
  context.models.filter((one) => one.kind === kind && one.availability === "available");
const textOnlyModel = (context: ScenarioContext, kind: string) =>
  availableModels(context, kind).find(({ inputs }) => !inputs.includes("image"))?.id;
const imageOnlyModel = (context: ScenarioContext, kind: string) =>
  availableModels(context, kind).find((one) => one.required_inputs.includes("image"))?.id;
const OTHER_KIND: Readonly<Record<string, string>> = { video: "image", image: "video" };
const IMAGE = "https://images.example.com/garden.jpg";

const notFound: Scenario = (context, operation) => {
  const id = exampleId(operation).replace(/_.*$/, "");
  return send(context, operation, { id: randomId(id as Parameters<typeof randomId>[0]) });
};

export const ERROR_SCENARIOS: Readonly<Record<string, Scenario>> = {
  missing_api_key: ({ service }, operation) => sendRequest(service.url, operation),
  invalid_api_key: (context, operation) => send(context, operation, { secret: newApiKey("live") }),
  revoked_api_key: withChangedRows("update gateway.api_keys set revoked_at = now()"),
  expired_api_key: withChangedRows(
    "update gateway.api_keys set expires_at = now() - interval '1 second'",
  ),
  account_suspended: withChangedRows("update gateway.accounts set suspended_at = now()"),
  production_access_required: withChangedRows(
    "update gateway.accounts set production_granted = false",
  ),
  key_not_permitted: withChangedRows("update gateway.api_keys set access = 'read'"),
  insufficient_tokens: async (context, operation) =>
    send(context, operation, { secret: (await context.service.newKey("live")).secret }),
  spend_limit_reached: refusedWith(ErrorReason.TOKEN_LIMIT_REACHED, {
    required: "500",
    scope: "end_user",
    key_id: "",
    period: "month",
    tokens: "600",
    used: "400",
    resets_at: "2026-12-01T00:00:00.000Z",
  }),
  generation_not_found: notFound,
  model_not_found: (context, operation) =>
    hasBody(operation)
      ? send(context, operation, bodyOf(operation, { model: "no-such-model" }))
      : send(context, operation, { id: "no-such-model" }),
  delivery_not_found: notFound,
  file_not_found: (context, operation) =>
    hasBody(operation)
      ? refusedWith(ErrorReason.FILE_NOT_FOUND)(context, operation)
      : notFound(context, operation),
  method_not_allowed: (context, operation) => {
    const own = operations.filter(({ path }) => path === operation.path);
    const methods = ["PUT", "PATCH", "DELETE", "POST", "OPTIONS"];
    const absent = methods.find((method) => own.every((one) => one.method !== method));
    return send(context, operation, { method: absent ?? "PUT", body: undefined });
  },
  body_too_large: (context, operation) =>
    operation.maxUploadBytes === undefined
      ? send(context, operation, {
          body: "{}".padEnd(operation.maxBodyBytes + 1),
          ...(operation.body ? {} : { headers: [["content-type", "multipart/form-data"]] }),
        })
      : sendFile(context, operation, new Uint8Array(operation.maxUploadBytes + 1)),
  unsupported_media_type: (context, operation) =>
    send(context, operation, { headers: [["content-type", "text/plain"]] }),
  idempotency_key_reused: async (context, operation) => {
    const headers: RequestOptions["headers"] = [["idempotency-key", randomId("req")]];
    await send(context, operation, { headers });
    if (operation.maxUploadBytes !== undefined) {
      return sendFile(context, operation, new Uint8Array(makeImage("jpeg")), headers);
    }
    return send(context, operation, { headers, ...bodyOf(operation, { prompt: "another" }) });
  },
  rate_limited: async (context, operation) => {
    const { accountId, secret } = await context.service.newKey();
    await context.service.accounts.setLimits({ accountId, createsPerMinute: 1, readsPerMinute: 1 });
    await send(context, operation, { secret });
    return send(context, operation, { secret });
  },
  too_many_pending: async (context, operation) => {
    const { accountId, secret } = await context.service.newKey();
    await context.service.accounts.setLimits({ accountId, maxUnfinished: 1 });
    await createHangingVideo(context, secret);
    return send(context, operation, { secret });
  },
  model_kind_mismatch: withModel(
    (context, kind) => availableModels(context, OTHER_KIND[kind] ?? "")[0]?.id,
  ),
  model_unavailable: withModel(
    (_, kind) => UNAVAILABLE_MODELS[kind as keyof typeof UNAVAILABLE_MODELS],
  ),
  image_url_required: withModel(imageOnlyModel),
  image_url_not_supported: withModel(textOnlyModel, (operation) =>
    isPublic(operation) ? { image_url: IMAGE } : { input_reference: { image_url: IMAGE } },
  ),
  image_urls_not_supported: withModel(textOnlyModel, (operation) =>
    isPublic(operation) ? { image_urls: [IMAGE] } : {},
  ),
  unsupported_duration: withModel(
    (context, kind) => availableModels(context, kind)[0]?.id,
    (operation) => (isPublic(operation) ? { duration: 3600 } : { seconds: "999" }),
  ),
  unsupported_aspect_ratio: withModel(
    (context, kind) => availableModels(context, kind)[0]?.id,
    () => ({ aspect_ratio: "999:1" }),
  ),
  unsupported_size: withModel(
    (context, kind) => availableModels(context, kind)[0]?.id,
    () => ({ size: "7x7" }),
  ),
  unsupported_parameter: withModel(
    (context, kind) =>
      availableModels(context, kind).find(({ parameters }) =>
        kind === "video" ? Object.keys(parameters).length === 0 : "background" in parameters,
      )?.id,
    (operation) =>
      isOfVideos(operation)
        ? { seed: 1 }
        : // No JPEG has it.
          { background: "transparent", output_format: "jpeg" },
  ),
  content_rejected: simulatedFailure("content_rejected"),
  invalid_input: simulatedFailure("invalid_input"),
  upstream_failed: simulatedFailure("upstream_failed"),
  upstream_timeout: simulatedFailure("upstream_timeout"),
  expired: simulatedFailure("expired"),
  canceled: (context, operation) => withOverride(context, operation, imageThat(Status.CANCELED)),
  generation_timeout: (context, operation) =>
    withOverride(context, operation, imageThat(Status.PROCESSING)),
  already_finished: async (context, operation) =>
    send(context, operation, { id: await createEnded(context, operation) }),
  not_finished: async (context, operation) => {
    if (isOfVideos(operation)) {
      const { id } = await createHangingVideo(context, context.key.secret);
      return send(context, operation, { id });
    }
    return refusedWith(ErrorReason.NOT_FINISHED)(context, operation);
  },
  gone: async (context, operation) => {
    if (operation.path.startsWith("/files")) {
      return refusedWith(ErrorReason.FILE_DELETED)(context, operation);
    }
    const { secret } = context.key;
    const headers: RequestOptions["headers"] = [["idempotency-key", randomId("req")]];
    const id = await createEnded(context, operation, headers);
    const name = isOfVideos(operation) ? "deleteVideoGeneration" : "deleteImageGeneration";
    await sendRequest(context.service.url, operationNamed(name), { secret, id });
    return send(context, operation, hasBody(operation) ? { headers } : { id });
  },
  file_in_use: refusedWith(ErrorReason.FILE_IN_USE),
  too_many_files: refusedWith(ErrorReason.TOO_MANY_FILES),
  storage_limit_reached: refusedWith(ErrorReason.STORAGE_LIMIT_REACHED, {
    limit: "100",
    used: "100",
  }),
  not_cancelable: refusedWith(ErrorReason.NOT_CANCELABLE),
  webhook_url_disabled: refusedWith(ErrorReason.WEBHOOK_URL_DISABLED),
  internal: async (context, operation) => {
    if (operation.path !== REQUESTS) return failedWith(Code.Internal)(context, operation);
    const { owner } = context.service;
    await owner`revoke select on gateway.request_log from media_gateway`;
    const answer = await send(context, operation);
    await owner`grant select on gateway.request_log to media_gateway`;
    return answer;
  },
  unavailable: async (context, operation) => {
    if (operation.path !== REQUESTS) return failedWith(Code.Unavailable)(context, operation);
    return context.service.owner.begin(async (tx) => {
      await tx`lock table gateway.request_log in access exclusive mode`;
      return send(context, operation);
    });
  },
};

/** The operation succeeds, on a real object where the test can create one, else with canned responses. */
export const successScenario: Scenario = async (context, operation) => {
  const { secret } = context.key;
  if (!operation.path.includes("{")) return send(context, operation);
  if (operation.path.startsWith("/models/"))
    return send(context, operation, { id: context.models[0]?.id ?? "" });
  if (operation.path.startsWith("/files/")) {
    const { body } = await send(context, operationNamed("createFile"));
    return send(context, operation, { id: String(body["id"]) });
  }
  if (operation.method === "DELETE" || operation.successStatus === 302)
    return send(context, operation, { id: await createEnded(context, operation) });
  if (operation.path.startsWith("/videos/")) {
    return send(context, operation, { id: (await createHangingVideo(context, secret)).id });
  }
  if (operation.path.startsWith("/images/") && operation.method === "GET") {
    const { id } = (
      await sendRequest(context.service.url, operationNamed("createImageGeneration"), { secret })
    ).body;
    return send(context, operation, { id: String(id) });
  }
  context.service.calls.isCanned = true;
  return send(context, operation).finally(() => (context.service.calls.isCanned = false));
};

/** The operation succeeds with the status that a client asks for which does not want to wait. */
export const asynchronousScenario: Scenario = (context, operation) =>
  send(context, operation, { headers: [["prefer", "respond-async"]] });

/** Sends these bytes as a picture. */
const sendFile = (
  context: ScenarioContext,
  operation: Operation,
  body: Uint8Array<ArrayBuffer>,
  headers: [string, string][] = [],
) => send(context, operation, { body, headers: [...headers, ["content-type", "image/png"]] });

const isOfVideos = ({ path }: Operation) => /^\/videos(\/|$)/.test(path);

/** The id of a generation of the operation's kind that has ended. */
async function createEnded(
  context: ScenarioContext,
  operation: Operation,
  headers?: RequestOptions["headers"],
): Promise<string> {
  const { secret } = context.key;
  const isVideo = isOfVideos(operation);
  const create = operationNamed(isVideo ? "createVideoGeneration" : "createImageGeneration");
  const options = { secret, ...(headers ? { headers } : {}) };
  const id = String((await sendRequest(context.service.url, create, options)).body["id"]);
  if (isVideo) await waitUntilFinished(context, secret, id);
  return id;
}

function operationNamed(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`the document has no operation ${id}`);
  return found;
}

async function createVideo(
  context: ScenarioContext,
  secret: string,
  metadata: Json,
): Promise<{ id: string }> {
  const operation = operationNamed("createVideoGeneration");
  const { body } = await sendRequest(context.service.url, operation, {
    secret,
    ...bodyOf(operation, { metadata }),
  });
  return { id: String(body["id"]) };
}

const createHangingVideo = (context: ScenarioContext, secret: string) =>
  createVideo(context, secret, { simulate: "hang" });

async function waitUntilFinished(
  context: ScenarioContext,
  secret: string,
  id: string,
): Promise<void> {
  const operation = operationNamed("retrieveVideoGeneration");
  const status = async () =>
    (await sendRequest(context.service.url, operation, { secret, id })).body["status"];
  await expect.poll(status, { timeout: 100_000 }).toMatch(/^(success|failed|canceled)$/);
}
