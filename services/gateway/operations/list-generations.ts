/** Shared by the lists of generations: one page of the caller's account and mode. */
import type { FastifyRequest } from "fastify";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  Kind,
  ListGenerationsRequestSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import type { Deps } from "../deps.ts";
import { presentPage } from "../presenters/page.ts";
import { readPage, pageParams } from "./list.ts";
import { callFor } from "./operation.ts";

export async function listGenerations(
  deps: Deps,
  request: FastifyRequest,
  kind: Kind,
  filters: MessageInitShape<typeof ListGenerationsRequestSchema> = {},
) {
  const { generations, hasMore } = await readPage(
    deps.generation.listGenerations({ ...pageParams(request), kind, ...filters }, callFor(request)),
  );
  const assetBaseUrl = deps.assetBaseUrl();
  return presentPage(
    generations.map((generation) => publicGeneration(generation, assetBaseUrl)),
    hasMore,
  );
}
