/** The OpenAI dialect: the operations of openapi/openai.yaml, which map to those of the public API. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { components } from "#gen/openapi/openai.ts";
import { Availability } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { StoredFiles } from "../http/stored-files.ts";
import type { Contract } from "../http/contract.ts";
import { documentRoutes } from "../http/document-routes.ts";
import { limitLoad } from "../http/app-hooks.ts";
import { Problem, type DocUrlOf } from "../http/problem.ts";
import { admitByKey } from "../operations/operation.ts";
import type { Deps } from "../operations/deps.ts";
import { dialectErrors, withNullParam } from "./errors.ts";
import { createImage, editImage } from "./images.ts";
import {
  createVideo,
  deleteVideo,
  downloadVideo,
  listVideos,
  retrieveVideo,
  type DialectOperation,
} from "./videos.ts";
import { catalogFor, pathModel } from "../operations/models.ts";

type Schemas = components["schemas"];

const listModels: DialectOperation = (deps) => async (request) => {
  const data = await usableModels(deps, request);
  return { object: "list", data } satisfies Schemas["OpenaiModelList"];
};

const retrieveModel: DialectOperation = (deps) => async (request) =>
  pathModel(request, await usableModels(deps, request));

async function usableModels(
  deps: Deps,
  request: FastifyRequest,
): Promise<Schemas["OpenaiModel"][]> {
  const models = await catalogFor(deps, request);
  return models
    .filter(({ availability }) => availability === Availability.AVAILABLE)
    .map(({ id }) => ({ id, object: "model", created: 0, owned_by: "media" }));
}

const OPERATIONS: Readonly<Record<string, DialectOperation>> = {
  openaiCreateVideo: createVideo,
  openaiListVideos: listVideos,
  openaiRetrieveVideo: retrieveVideo,
  openaiDeleteVideo: deleteVideo,
  openaiDownloadVideo: downloadVideo,
  openaiCreateImage: createImage,
  openaiEditImage: editImage,
  openaiListModels: listModels,
  openaiRetrieveModel: retrieveModel,
};

/** What OpenAI's clients have methods for and the service does not do, by path. */
const UNSUPPORTED: readonly [path: RegExp, what: string][] = [
  [/^\/videos\/edits$/, "edit videos"],
  [/^\/videos\/extensions$/, "extend videos"],
  [/^\/videos\/characters(\/|$)/, "keep characters"],
  [/^\/videos\/[^/]+\/remix$/, "remix videos"],
  [/^\/images\/variations$/, "vary images"],
  [/^\/(responses|chat|completions)(\/|$)/, "write text"],
  [/^\/(embeddings|audio|moderations)(\/|$)/, "read or speak text"],
];

export type DialectDeps = Deps & { openaiContract: Contract };

export function openai(
  deps: DialectDeps & { docUrlOf: DocUrlOf },
  files: StoredFiles,
): (app: FastifyInstance) => Promise<void> {
  const { openaiContract: contract, log, docUrlOf } = deps;
  const admit = admitByKey(deps);
  return async (app) => {
    app.setErrorHandler(dialectErrors(contract, log, docUrlOf));
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
      handlerOf: (operationId) => OPERATIONS[operationId]?.(deps, files),
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
