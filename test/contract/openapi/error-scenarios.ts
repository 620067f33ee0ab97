/** For each documented error code a request that causes it, the same for all operations where possible. */
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, inject } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { newApiKey } from "../../../services/gateway/domain/api-key.ts";
import { allWith, refusing, type Backends } from "../../gateway/backends.ts";
import type { Key, SharedHarness } from "../../gateway/harness.ts";
import { openPool } from "../../support/database.ts";
import { sendRaw, sendRequest, type ApiResponse, type RequestOptions } from "./client.ts";
import { exampleId, operations, pathWith, type Operation } from "./document.ts";

/** The gateway between fakes of the other services, and a key without rate limits. */
export type ScenarioContext = { harness: SharedHarness; readonly key: Key };

type Scenario = (context: ScenarioContext, operation: Operation) => Promise<ApiResponse>;

/** What the gateway reads itself. */
const REQUESTS = "/requests";

export const send = (
  { harness, key }: ScenarioContext,
  operation: Operation,
  options: RequestOptions = {},
) => sendRequest(harness.localUrl, operation, { secret: key.secret, ...options });

const hasBody = ({ body, form }: Operation) => body !== undefined || form !== undefined;

/** Sends the operation's request while the other services answer so. */
async function whileAnswering(
  context: ScenarioContext,
  operation: Operation,
  answers: Partial<Backends>,
  options?: RequestOptions,
): Promise<ApiResponse> {
  const { backends } = context.harness;
  const before = { ...backends };
  Object.assign(backends, answers);
  return send(context, operation, options).finally(() => Object.assign(backends, before));
}

/** All calls are answered so, but for those that prepare one. */
const answeringAll = (
  { harness }: ScenarioContext,
  answer: () => never,
  except: readonly (keyof Backends)[] = [],
): Partial<Backends> =>
  Object.fromEntries(
    Object.keys(harness.backends)
      .filter((name) => !except.includes(name as keyof Backends))
      .map((name) => [name, answer]),
  );

const refusedWith =
  (reason: keyof typeof ErrorReason, metadata: Record<string, string> = {}): Scenario =>
  (context, operation) => {
    const refuse = refusing(reason, "Refused.", { metadata });
    return whileAnswering(context, operation, answeringAll(context, refuse, ["listModels"]));
  };

const failedWith =
  (code: Code): Scenario =>
  (context, operation) => {
    const fail = () => {
      throw new ConnectError("cut off", code);
    };
    return whileAnswering(context, operation, answeringAll(context, fail));
  };

/** Answers the create of an image with one of that status. */
const imageThat =
  (status: Status, code = ""): Scenario =>
  (context, operation) => {
    const error = code === "" ? {} : { error: { code, message: "It failed." } };
    return whileAnswering(context, operation, allWith({ status, output: [], ...error }));
  };

/** All operations are asked with one key, which is made once. */
function withKeyThat(make: (harness: SharedHarness) => Promise<Key>): Scenario {
  let key: Promise<Key> | undefined;
  return async ({ harness }, operation) => {
    key ??= make(harness);
    return send({ harness, key: await key }, operation);
  };
}

const withChangedRows = (change: string) =>
  withKeyThat(async ({ newKey, owner }) => {
    const key = await newKey("live");
    await owner.unsafe(`${change} where account_id = '${key.accountId}'`);
    return key;
  });

const limited = withKeyThat(async ({ newKey, accounts }) => {
  const key = await newKey();
  const { accountId } = key;
  await accounts.setLimits({ accountId, createsPerMinute: 1, readsPerMinute: 1 });
  return key;
});

/** The codes of `codes`, each caused in its way. */
const each = (codes: string, scenarioOf: (code: string) => Scenario) =>
  Object.fromEntries(codes.split(/\s+/).map((code) => [code, scenarioOf(code)] as const));

/** Codes of reasons that have the same name. */
const REASONS = `file_not_found too_many_pending model_kind_mismatch model_unavailable image_url_required
  image_url_not_supported image_urls_not_supported unsupported_duration unsupported_aspect_ratio unsupported_size
  unsupported_parameter already_finished not_cancelable file_in_use too_many_files webhook_url_disabled`;

export const ERROR_SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...each(REASONS, (code) => refusedWith(code.toUpperCase() as keyof typeof ErrorReason)),
  ...each("content_rejected invalid_input upstream_failed upstream_timeout expired", (code) =>
    imageThat(Status.FAILED, code),
  ),
  generation_not_found: refusedWith("NOT_FOUND"),
  delivery_not_found: refusedWith("NOT_FOUND"),
  idempotency_key_reused: refusedWith("CONTENT_DIFFERS"),
  missing_api_key: ({ harness }, operation) => sendRequest(harness.localUrl, operation),
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
  insufficient_tokens: refusedWith("INSUFFICIENT_TOKENS", { required: "500", available: "0" }),
  spend_limit_reached: refusedWith("TOKEN_LIMIT_REACHED", {
    required: "500",
    scope: "end_user",
    key_id: "",
    period: "month",
    tokens: "600",
    used: "400",
    resets_at: "2026-12-01T00:00:00.000Z",
  }),
  storage_limit_reached: refusedWith("STORAGE_LIMIT_REACHED", { limit: "100", used: "100" }),
  model_not_found: (context, operation) =>
    hasBody(operation)
      ? refusedWith("MODEL_NOT_FOUND")(context, operation)
      : send(context, operation, { id: "no-such-model" }),
  method_not_allowed: (context, operation) => {
    const own = operations.filter(({ path }) => path === operation.path);
    const methods = ["PUT", "PATCH", "DELETE", "POST", "OPTIONS"];
    const absent = methods.find((method) => own.every((one) => one.method !== method));
    return send(context, operation, { method: absent ?? "PUT", body: undefined });
  },
  body_too_large: (context, operation) => {
    const { method, body, maxBodyBytes, maxUploadBytes } = operation;
    const bytes = (maxUploadBytes ?? maxBodyBytes) + 1;
    if (body && maxUploadBytes === undefined) {
      const headers: [string, string][] = [["content-type", "application/json"]];
      return send(context, operation, { body: new Uint8Array(bytes), headers });
    }
    return sendRaw(context.harness.localUrl, {
      method,
      path: pathWith(operation, exampleId(operation)),
      headers: {
        authorization: `Bearer ${context.key.secret}`,
        "content-type": maxUploadBytes ? "image/png" : "multipart/form-data",
        // What is told to be too large is refused before it is read.
        "content-length": String(bytes),
      },
      body: "the beginning",
    });
  },
  unsupported_media_type: (context, operation) =>
    send(context, operation, { headers: [["content-type", "text/plain"]] }),
  rate_limited: async (context, operation) => {
    await limited(context, operation);
    return limited(context, operation);
  },
  canceled: imageThat(Status.CANCELED),
  generation_timeout: imageThat(Status.PROCESSING),
  not_finished: (context, operation) =>
    operation.method === "GET"
      ? send(context, operation)
      : refusedWith("NOT_FINISHED")(context, operation),
  gone: (context, operation) =>
    refusedWith(operation.path.startsWith("/files") ? "FILE_DELETED" : "GENERATION_DELETED")(
      context,
      operation,
    ),
  internal: async (context, operation) => {
    if (operation.path !== REQUESTS) return failedWith(Code.Internal)(context, operation);
    const { owner } = context.harness;
    await owner`revoke select on gateway.request_log from media_gateway`;
    const answer = await send(context, operation);
    await owner`grant select on gateway.request_log to media_gateway`;
    return answer;
  },
  unavailable: async (context, operation) => {
    if (operation.path !== REQUESTS) return failedWith(Code.Unavailable)(context, operation);
    return context.harness.owner.begin(async (tx) => {
      await tx`lock table gateway.request_log in access exclusive mode`;
      const answering = send(context, operation);
      await cancelOneThatWaits(context.harness.databaseUrl);
      return answering;
    });
  },
};

/** As Postgres does itself at the statement's time limit. */
async function cancelOneThatWaits(databaseUrl: string): Promise<void> {
  const database = new URL(databaseUrl).pathname.slice(1);
  await using superuser = openPool(inject("superuserUrl"));
  const cancel = () => superuser`
    select pg_cancel_backend(pid) from pg_stat_activity
    where datname = ${database} and wait_event_type = 'Lock'
      and query like '%from gateway.request_log%'`;
  await expect.poll(cancel).toHaveLength(1);
}

/** The operation succeeds. Of a download there is something. */
export const successScenario: Scenario = (context, operation) => {
  if (operation.successStatus !== 302) return send(context, operation);
  const file = { key: "a/0", contentType: "video/mp4", width: 1280, height: 720, bytes: 9n };
  const output = [{ ...file, duration: 5, thumbnailKey: "a/0.webp" }];
  return whileAnswering(context, operation, allWith({ status: Status.SUCCESS, output }));
};

/** The operation succeeds with the status that a client asks for which does not want to wait. */
export const asynchronousScenario: Scenario = (context, operation) =>
  whileAnswering(context, operation, allWith({ status: Status.PENDING, output: [] }), {
    headers: [["prefer", "respond-async"]],
  });
