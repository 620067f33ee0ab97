/** The OpenAI dialect: the operations of openapi/openai.yaml, which map to those of the public API, and its errors. */
import { ConnectError } from "@connectrpc/connect";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { components, operations } from "#gen/openapi/openai.ts";
import { Availability, Kind, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { useOneOf } from "#vocabulary/what-model-takes.ts";
import { limitLoad } from "../http/app-hooks.ts";
import { documentRoutes, idempotencyKeyOf } from "../http/document-routes.ts";
import { Problem, createErrorHandler, toProblem, type ErrorBody } from "../http/problem.ts";
import type { Call } from "../http/request-state.ts";
import * as images from "./images.ts";
import * as videos from "./videos.ts";
import type { Deps } from "../operations/deps.ts";
import { catalogFor, pathModel } from "../operations/models.ts";
import { admitByKey } from "../operations/operation.ts";

const PICTURE =
  "a picture file, a public https URL, a data URL, or the id of a file from POST /v1/files";
/** What the other services call the fields of a request, and the dialect's names. Files are not in the dialect. */
const NAMES: readonly [name: RegExp | string, own: string][] = [
  ["a public https URL of the first frame, or the url that POST /v1/files returns", PICTURE],
  [/\bimage_urls\b(\[\d+\])?/g, "image"],
  [/\bimage_url\b/g, "input_reference"],
  [/\bduration\b/g, "seconds"],
  [/\baspect_ratio\b/g, "size"],
  [/\/v1\/videos\/generations/g, "/openai/v1/videos"],
  [/ \/v1\/(?!files|videos\/generations)/g, " /openai/v1/"],
];

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

const NOT_FINISHED =
  "The video has not ended. Cancel it by POST /v1/videos/generations/{id}/cancel or wait for its end, then delete it.";

/** The problem with the names of the dialect in place of the public API's. */
function inDialect({ code, options }: Problem): Problem {
  if (code === "not_finished") return new Problem(code, { ...options, message: NOT_FINISHED });
  const { message, param, faults, ...rest } = options;
  const own = JSON.stringify({ message, param, faults });
  const renamed = NAMES.reduce((text, [name, to]) => text.replaceAll(name, to), own);
  return new Problem(code, { ...rest, ...(JSON.parse(renamed) as typeof options) });
}

type Schemas = components["schemas"];

const openaiListModels: videos.DialectOperation = async (call) => {
  const data = (await usableModels(call)).map(asOpenai);
  return { object: "list", data } satisfies Schemas["OpenaiModelList"];
};

const openaiRetrieveModel: videos.DialectOperation = async (call) =>
  asOpenai(pathModel(call.request, await usableModels(call)));

async function usableModels(call: Call<Deps>): Promise<Model[]> {
  const models = await catalogFor(call);
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
  [/^\/videos\/edits$/, "edits of videos"],
  [/^\/videos\/extensions$/, "extensions of videos"],
  [/^\/videos\/characters(\/|$)/, "characters"],
  [/^\/videos\/[^/]+\/remix$/, "remixes of videos"],
  [/^\/videos\/[^/]+\/cancel$/, "cancel here. Use POST /v1/videos/generations/{id}/cancel"],
  [/^\/images\/variations$/, "image variations"],
  [/^\/responses(\/|$)/, "text models. Make images with images.generate, POST /images/generations"],
  [/^\/(chat|completions)(\/|$)/, "text models"],
  [/^\/(embeddings|audio|moderations)(\/|$)/, "such models"],
  [/^\/(files|uploads)(\/|$)/, "files here. Use POST /v1/files, and the id that it returns"],
  [/^\/batches(\/|$)/, "batches. Send each create in a request of its own"],
];

/** Names the models of the route to whoever names none. */
async function withModels(call: Call<Deps>, error: unknown): Promise<unknown> {
  if (!(error instanceof Problem)) return error;
  const { code, options } = error;
  if (code !== "missing_field" || options.param !== "model") return error;
  const kind = call.request.routeOptions.url?.includes("/images/") ? Kind.IMAGE : Kind.VIDEO;
  const models = await usableModels(call).catch(() => []);
  const ids = models.filter((model) => model.kind === kind).map(({ id }) => id);
  const message = `model is required.${useOneOf(ids)} GET /openai/v1/models lists them.`;
  const faults = options.faults?.with(0, { code, param: "model", message });
  return new Problem(code, { ...options, message, ...(faults && { faults }) });
}

export function openai(deps: videos.DialectDeps): (app: FastifyInstance) => Promise<void> {
  const { openaiContract: contract, log, publicUrl } = deps;
  const admit = admitByKey(deps);
  return async (app) => {
    const answer = createErrorHandler(contract, log, publicUrl);
    app.setErrorHandler(async (thrown, request, reply) => {
      const error = await withModels({ deps, request, reply }, thrown);
      const problem = toProblem(error);
      const { status } = contract.codeEntry(problem.code, problem.options.type);
      if (!mayRepeat(problem, status, request)) void reply.header("x-should-retry", "false");
      return answer(error instanceof ConnectError ? inDialect(problem) : problem, request, reply);
    });
    app.addHook("onSend", async ({ id }, reply) => void reply.header("x-request-id", id));
    // OpenAI's clients expect `param: null` of an error that has none.
    app.addHook("preSerialization", async (_request, { statusCode }, payload) => {
      if (statusCode < 400) return payload;
      const { error } = payload as ErrorBody;
      return { error: { ...error, param: error.param ?? null } };
    });
    limitLoad(app, deps.loadLimits("api"), ({ caller }) => caller?.accountId);
    documentRoutes(app, {
      contract,
      deps,
      admit: async (request, reply) => {
        const refused = await admit(request, reply);
        // The dialect has no such header: its clients wait by polling.
        delete request.headers["prefer"];
        refuseUnsupported(request, contract.prefix);
        return refused;
      },
      operations: OPERATIONS,
    });
  };
}

function refuseUnsupported({ url }: FastifyRequest, prefix: string): void {
  const path = url.split("?", 1)[0]?.slice(prefix.length) ?? "";
  const [, what] = UNSUPPORTED.find(([pattern]) => pattern.test(path)) ?? [];
  if (what === undefined) return;
  const message = `This service has no ${what}: /docs/guides/openai lists what works.`;
  throw new Problem("route_not_found", { message });
}
