/** listVideoGenerations and listImageGenerations. */
import type { FastifyRequest } from "fastify";
import type { operations } from "#gen/openapi/media.ts";
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { generationStatusOf } from "#vocabulary/generation-status.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import type { Deps } from "./deps.ts";
import { presentPage } from "../presenters/page.ts";
import { readPage, pageParams, spanOf } from "./list.ts";
import type { Operation } from "./operation.ts";

/** Images have the same filters. */
type Query = NonNullable<operations["listVideoGenerations"]["parameters"]["query"]>;

type Filters = Pick<Query, "status" | "model" | "created_after" | "created_before">;

/** Shared by the lists of generations: one page of the caller's account and mode, with the query's filters. */
export async function listGenerations(deps: Deps, request: FastifyRequest, kind: Kind) {
  const { end_user: endUser } = request.query as Query;
  const { generations, hasMore } = await readPage(
    deps.generation.listGenerations({
      ...pageParams(request),
      kind,
      ...filtersOf(request.query as Query),
      ...(endUser === undefined ? {} : { endUser }),
    }),
  );
  const assetBaseUrl = deps.assetBaseUrl();
  return presentPage(
    generations.map((generation) => publicGeneration(generation, assetBaseUrl)),
    hasMore,
  );
}

/** The filters of the query as fields of the RPC. */
export function filtersOf({ status, model, ...times }: Filters) {
  return {
    ...(status === undefined ? {} : { status: generationStatusOf(status) }),
    ...(model === undefined ? {} : { model }),
    ...spanOf(times),
  };
}

export const listImageGenerations: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, () => listGenerations(deps, request, Kind.IMAGE));

export const listVideoGenerations: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, () => listGenerations(deps, request, Kind.VIDEO));
