/** How each documented code, and each success, comes about: by code and not by operation, wherever that can be. */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  CreateImageResponseSchema,
  Kind,
  Status,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { createApiKey } from "../../../services/gateway/domain/api-key.ts";
import { generation } from "./canned.ts";
import { ask } from "./client.ts";
import type { Answer, Asked } from "./client.ts";
import { document, exampleId, leastBody, operations } from "./document.ts";
import type { Json, Operation } from "./document.ts";
import { UNAVAILABLE } from "./stage.ts";
import type { Key, Stage } from "./stage.ts";

export type Scene = {
  stage: Stage;
  /** An account with Tokens in plenty, in both modes. */
  key: Key;
  /** The catalog, as the API tells it. */
  models: {
    id: string;
    kind: string;
    inputs: string[];
    required_inputs: string[];
    availability: string;
  }[];
};

type Recipe = (scene: Scene, operation: Operation) => Promise<Answer>;

const to = ({ stage, key }: Scene, operation: Operation, asked: Asked = {}) =>
  ask(stage.url, operation, { secret: key.secret, ...asked });

const bodyOf = (operation: Operation, more: { [name: string]: Json }) =>
  JSON.stringify({ ...leastBody(operation), ...more });

/** The call that the operation makes behind the gateway fails, or answers, so. */
async function behind(
  scene: Scene,
  operation: Operation,
  intervene: Stage["behind"]["intervene"],
): Promise<Answer> {
  scene.stage.behind.intervene = intervene;
  try {
    return await to(scene, operation);
  } finally {
    scene.stage.behind.intervene = undefined;
  }
}

const refusing =
  (reason: ErrorReason): Recipe =>
  (scene, operation) =>
    behind(scene, operation, () => {
      throw refusal({ reason, message: "refused" });
    });

const failing =
  (code: Code): Recipe =>
  (scene, operation) =>
    behind(scene, operation, () => {
      throw new ConnectError("cut off", code);
    });

const simulating =
  (code: string): Recipe =>
  (scene, operation) =>
    to(scene, operation, { body: bodyOf(operation, { metadata: { simulate: `fail:${code}` } }) });

const withKeyThat =
  (change: string): Recipe =>
  async (scene, operation) => {
    const { accountId, secret } = await scene.stage.newKey("live");
    await scene.stage.owner.unsafe(`${change} where account_id = '${accountId}'`);
    return to(scene, operation, { secret });
  };

/** The kind of model that the operation's least example names. */
const kindOf = (scene: Scene, operation: Operation) =>
  scene.models.find(({ id }) => id === leastBody(operation)["model"])?.kind ?? "";

const withModel =
  (
    choose: (scene: Scene, kind: string) => string | undefined,
    more: (model: string) => { [name: string]: Json } = () => ({}),
  ): Recipe =>
  (scene, operation) => {
    const model = choose(scene, kindOf(scene, operation));
    if (model === undefined) throw new Error("the catalog has no model of that sort");
    return to(scene, operation, { body: bodyOf(operation, { model, ...more(model) }) });
  };

const available = (scene: Scene, kind: string) =>
  scene.models.filter((one) => one.kind === kind && one.availability === "available");
const textOnly = (scene: Scene, kind: string) =>
  available(scene, kind).find(({ inputs }) => !inputs.includes("image"))?.id;
const imageNeeding = (scene: Scene, kind: string) =>
  available(scene, kind).find((one) => one.required_inputs.includes("image"))?.id;
const other: Readonly<Record<string, string>> = { video: "image", image: "video" };
const IMAGE = "https://images.example.com/garden.jpg";

const notFound: Recipe = (scene, operation) => {
  const id = exampleId(operation).replace(/_.*$/, "");
  return to(scene, operation, { id: randomId(id as Parameters<typeof randomId>[0]) });
};

export const RECIPES: Readonly<Record<string, Recipe>> = {
  missing_api_key: ({ stage }, operation) => ask(stage.url, operation),
  invalid_api_key: (scene, operation) => to(scene, operation, { secret: createApiKey("live") }),
  revoked_api_key: withKeyThat("update gateway.api_keys set revoked_at = now()"),
  expired_api_key: withKeyThat("update gateway.api_keys set expires_at = now()"),
  account_suspended: withKeyThat("update gateway.accounts set suspended_at = now()"),
  production_access_required: withKeyThat("update gateway.accounts set production_granted = false"),
  insufficient_tokens: async (scene, operation) =>
    to(scene, operation, { secret: (await scene.stage.newKey("live")).secret }),
  generation_not_found: notFound,
  model_not_found: (scene, operation) =>
    operation.body
      ? to(scene, operation, { body: bodyOf(operation, { model: "no-such-model" }) })
      : to(scene, operation, { id: "no-such-model" }),
  delivery_not_found: notFound,
  method_not_allowed: (scene, operation) => {
    const own = operations.filter(({ path }) => path === operation.path);
    const methods = ["PUT", "PATCH", "DELETE", "POST", "OPTIONS"];
    const absent = methods.find((method) => own.every((one) => one.method !== method));
    return to(scene, operation, { method: absent ?? "PUT", body: undefined });
  },
  body_too_large: (scene, operation) =>
    to(scene, operation, { body: bodyOf(operation, {}).padEnd(document["x-max-body-bytes"] + 1) }),
  unsupported_media_type: (scene, operation) =>
    to(scene, operation, { headers: [["content-type", "text/plain"]] }),
  idempotency_key_reused: async (scene, operation) => {
    const headers: Asked["headers"] = [["idempotency-key", randomId("req")]];
    await to(scene, operation, { headers });
    return to(scene, operation, { headers, body: bodyOf(operation, { prompt: "another" }) });
  },
  rate_limited: async (scene, operation) => {
    const { accountId, secret } = await scene.stage.newKey();
    await scene.stage.accounts.setLimits({ accountId, createsPerMinute: 1, readsPerMinute: 1 });
    await to(scene, operation, { secret });
    return to(scene, operation, { secret });
  },
  too_many_pending: async (scene, operation) => {
    const { accountId, secret } = await scene.stage.newKey();
    await scene.stage.accounts.setLimits({ accountId, maxUnfinished: 1 });
    await hangingVideo(scene, secret);
    return to(scene, operation, { secret });
  },
  model_kind_mismatch: withModel((scene, kind) => available(scene, other[kind] ?? "")[0]?.id),
  model_unavailable: withModel((_, kind) => UNAVAILABLE[kind as keyof typeof UNAVAILABLE]),
  image_url_required: withModel(imageNeeding),
  image_url_not_supported: withModel(textOnly, () => ({ image_url: IMAGE })),
  image_urls_not_supported: withModel(textOnly, () => ({ image_urls: [IMAGE] })),
  unsupported_duration: withModel(
    (scene, kind) => available(scene, kind)[0]?.id,
    () => ({ duration: 3600 }),
  ),
  unsupported_aspect_ratio: withModel(
    (scene, kind) => available(scene, kind)[0]?.id,
    () => ({ aspect_ratio: "999:1" }),
  ),
  unsupported_size: withModel(
    (scene, kind) => available(scene, kind)[0]?.id,
    () => ({ size: "7x7" }),
  ),
  content_rejected: simulating("content_rejected"),
  invalid_input: simulating("invalid_input"),
  upstream_failed: simulating("upstream_failed"),
  upstream_timeout: simulating("upstream_timeout"),
  expired: simulating("expired"),
  generation_timeout: (scene, operation) =>
    behind(scene, operation, (_, request) =>
      create(CreateImageResponseSchema, {
        generation: generation({ ...request, kind: Kind.IMAGE }, Status.PROCESSING),
      }),
    ),
  already_finished: async (scene, operation) => {
    const { secret } = scene.key;
    const { id } = await video(scene, secret, { simulate: "success" });
    await ended(scene, secret, id);
    return to(scene, operation, { id });
  },
  not_cancelable: refusing(ErrorReason.NOT_CANCELABLE),
  webhook_url_disabled: refusing(ErrorReason.WEBHOOK_URL_DISABLED),
  internal: failing(Code.Internal),
  unavailable: failing(Code.Unavailable),
};

/** The operation succeeds, for real where its object can be made here. */
export const success: Recipe = async (scene, operation) => {
  const { secret } = scene.key;
  if (!operation.path.includes("{")) return to(scene, operation);
  if (operation.path.startsWith("/models/"))
    return to(scene, operation, { id: scene.models[0]?.id ?? "" });
  if (operation.path.startsWith("/videos/")) {
    return to(scene, operation, { id: (await hangingVideo(scene, secret)).id });
  }
  if (operation.path.startsWith("/images/")) {
    const { id } = (await ask(scene.stage.url, operationNamed("createImageGeneration"), { secret }))
      .body;
    return to(scene, operation, { id: String(id) });
  }
  scene.stage.behind.isCanned = true;
  return to(scene, operation).finally(() => (scene.stage.behind.isCanned = false));
};

function operationNamed(id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`the document has no operation ${id}`);
  return found;
}

async function video(scene: Scene, secret: string, metadata: Json): Promise<{ id: string }> {
  const operation = operationNamed("createVideoGeneration");
  const { body } = await ask(scene.stage.url, operation, {
    secret,
    body: bodyOf(operation, { metadata }),
  });
  return { id: String(body["id"]) };
}

const hangingVideo = (scene: Scene, secret: string) => video(scene, secret, { simulate: "hang" });

async function ended(scene: Scene, secret: string, id: string): Promise<void> {
  const operation = operationNamed("retrieveVideoGeneration");
  for (;;) {
    const { body } = await ask(scene.stage.url, operation, { secret, id });
    if (!["pending", "processing"].includes(String(body["status"]))) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
