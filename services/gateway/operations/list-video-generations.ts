/** listVideoGenerations: GET /videos/generations. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { listGenerations } from "./list-generations.ts";
import type { Operation } from "./operation.ts";

export const listVideoGenerations: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, () => listGenerations(deps, request, Kind.VIDEO));
