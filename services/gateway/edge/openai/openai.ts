/** The OpenAI dialect: the operations of openapi/openai.yaml, which map to those of the public API, and its errors. */
import { ConnectError } from "@connectrpc/connect";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { components, operations } from "#gen/openapi/openai.ts";
import { Availability, Kind, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Log } from "#runtime/log.ts";
import { limitLoad } from "../http/app-hooks.ts";
import type { Contract } from "../http/contract.ts";
import { documentRoutes, idempotencyKeyOf } from "../http/document-routes.ts";
import {
  Problem,
  createErrorHandler,
  toProblem,
  type ErrorBody,
  type ErrorHandler,
  type PublicUrl,
} from "../http/problem.ts";
import type { StoredFiles } from "../http/stored-files.ts";
import * as images from "./images.ts";
import * as videos from "./videos.ts";
import type { Deps } from "../operations/deps.ts";
import { catalogFor, pathModel } from "../operations/models.ts";
import { admitByKey } from "../operations/operation.ts";

/** What the other services call the fields of a request, and the dialect's names. */
const NAMES: readonly [name: RegExp, own: string][] = [
  [/\bimage_urls\b(\[\d+\])?/g, "image"],
  [/\bimage_url\b/g, "input_reference"],
  [/\bduration\b/g, "seconds"],
  [/\baspect_ratio\b/g, "size"],
  [/\/v1\/videos\/generations/g, "/openai/v1/videos"],
  [/ \/v1\//g, " /openai/v1/"],
];

export function dialectErrors(contract: Contract, log: Log, publicUrl: PublicUrl): ErrorHandler {
  const answer = createErrorHandler(contract, log, publicUrl);
  return (error, request, reply) => {
    const problem = toProblem(error);
    const { status } = contract.codeEntry(problem.code, problem.options.type);
    if (!mayRepeat(problem, status, request)) void reply.header("x-should-retry", "false");
    return answer(error instanceof ConnectError ? inDialect(problem) : problem, request, reply);
  };
}

/**
 * OpenAI's clients repeat a 409 and every 5xx, without a key by default. A conflict stays one, and a generation that failed
 * is answered again for its key. A create without a key that may have been accepted would be charged a second time.
 */
function mayRepeat({ code, options }: Problem, status: number, request: FastifyRequest): boolean {
  if (status < 500) return status !== 409;
  const hasKey = idempotencyKeyOf(request) !== undefined;
  if (options.type === "generation_error") return hasKey && code === "generation_timeout";
  const isCreate = request.routeOptions.config.checks?.isCreate === true;
  return hasKey || !isCreate || !request.isChecked;
}

/** The problem with the names of the dialect in place of the public API's. */
function inDialect({ code, options }: Problem): Problem {
  const { message, param, faults, ...rest } = options;
  const own = JSON.stringify({ message, param, faults });
  const renamed = NAMES.reduce((text, [name, to]) => text.replaceAll(name, to), own);
  return new Problem(code, { ...rest, ...(JSON.parse(renamed) as typeof options) });
}

/** Adds `param: null` to an error that has none: OpenAI's clients expect the field. */
export async function withNullParam(
  _request: unknown,
  { statusCode }: { statusCode: number },
  payload: unknown,
): Promise<unknown> {
  if (statusCode < 400) return payload;
  const { error } = payload as ErrorBody;
  return { error: { ...error, param: error.param ?? null } };
}

type Schemas = components["schemas"];

const openaiListModels: videos.DialectOperation = (deps) => async (request) => {
  const data = (await usableModels(deps, request)).map(asOpenai);
  return { object: "list", data } satisfies Schemas["OpenaiModelList"];
};

const openaiRetrieveModel: videos.DialectOperation = (deps) => async (request) =>
  asOpenai(pathModel(request, await usableModels(deps, request)));

async function usableModels(deps: Deps, request: FastifyRequest): Promise<Model[]> {
  const models = await catalogFor(deps, request);
  return models.filter(({ availability }) => availability === Availability.AVAILABLE);
}

function asOpenai({ id }: Model): Schemas["OpenaiModel"] {
  return { id, object: "model", created: 0, owned_by: "media" };
}

/** Each file exports its operations by their ids. */
const OPERATIONS: Readonly<Record<keyof operations, videos.DialectOperation>> = {
  ...videos,
  ...images,
  openaiListModels,
  openaiRetrieveModel,
};

/** What OpenAI's clients have methods for and the service does not do, by path. */
const UNSUPPORTED: readonly [path: RegExp, what: string][] = [
  [/^\/videos\/edits$/, "edit videos"],
  [/^\/videos\/extensions$/, "extend videos"],
  [/^\/videos\/characters(\/|$)/, "keep characters"],
  [/^\/videos\/[^/]+\/remix$/, "remix videos"],
  [/^\/images\/variations$/, "vary images"],
  [/^\/responses(\/|$)/, "write text. Make images with images.generate, POST /images/generations"],
  [/^\/(chat|completions)(\/|$)/, "write text"],
  [/^\/(embeddings|audio|moderations)(\/|$)/, "read or speak text"],
  [
    /^\/(files|uploads)(\/|$)/,
    "store files here. Use POST /v1/files of this API, and the id that it answers",
  ],
  [/^\/batches(\/|$)/, "make batches. Send each create in a request of its own"],
];

/** More models than these are not named in a message. */
const MAX_NAMED = 20;

/** Names the models of the route to whoever names none. */
async function withModels(deps: Deps, request: FastifyRequest, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem)) return error;
  const { code, options } = error;
  if (code !== "missing_field" || options.param !== "model") return error;
  const kind = request.routeOptions.url?.includes("/images/") ? Kind.IMAGE : Kind.VIDEO;
  const models = await usableModels(deps, request).catch(() => []);
  const names = models.filter((model) => model.kind === kind).map(({ id }) => ` ${id}`);
  const isNamed = names.length > 0 && names.length <= MAX_NAMED;
  const message = `model is required.${isNamed ? ` Use one of${names.join()}.` : ""} GET /openai/v1/models lists them.`;
  const faults = options.faults?.with(0, { code, param: "model", message });
  return new Problem(code, { ...options, message, ...(faults && { faults }) });
}

export type DialectDeps = Deps & { openaiContract: Contract };

export function openai(
  deps: DialectDeps,
  files: StoredFiles,
): (app: FastifyInstance) => Promise<void> {
  const { openaiContract: contract, log, publicUrl } = deps;
  const admit = admitByKey(deps);
  return async (app) => {
    const answer = dialectErrors(contract, log, publicUrl);
    app.setErrorHandler(async (error, request, reply) =>
      answer(await withModels(deps, request, error), request, reply),
    );
    app.addHook("onSend", async (request, reply) => {
      void reply.header("x-request-id", request.id);
    });
    app.addHook("preSerialization", withNullParam);
    limitLoad(app, deps.loadLimits("api"), ({ caller }) => caller?.accountId);
    documentRoutes(app, {
      contract,
      memory: deps.uploads,
      admit: async (request, reply) => {
        const refused = await admit(request, reply);
        // The dialect has no such header: its clients wait by polling.
        delete request.headers["prefer"];
        refuseUnsupported(request, contract.prefix);
        return refused;
      },
      handlerOf: (operationId) => OPERATIONS[operationId as keyof operations](deps, files),
    });
  };
}

function refuseUnsupported({ url }: FastifyRequest, prefix: string): void {
  const path = url.split("?", 1)[0]?.slice(prefix.length) ?? "";
  const [, what] = UNSUPPORTED.find(([pattern]) => pattern.test(path)) ?? [];
  if (what === undefined) return;
  const message = `This service does not ${what}: /docs/guides/openai lists what works.`;
  throw new Problem("route_not_found", { message });
}
