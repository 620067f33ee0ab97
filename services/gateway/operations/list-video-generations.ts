/** listVideoGenerations: GET /videos/generations. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { FastifyRequest } from "fastify";
import type { operations } from "#gen/openapi/media.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { PublicVideo } from "#runtime/public-generation.ts";
import { listGenerations } from "./list-generations.ts";
import type { Operation } from "./operation.ts";

type Query = NonNullable<operations["listVideoGenerations"]["parameters"]["query"]>;

const STATUS: Record<PublicVideo["status"], Status> = {
  pending: Status.PENDING,
  processing: Status.PROCESSING,
  success: Status.SUCCESS,
  failed: Status.FAILED,
  canceled: Status.CANCELED,
};

/** Times are clamped to these bounds: no generation lies outside, and Postgres does not accept every year. */
const [EARLIEST_MS, LATEST_MS] = [0, Date.UTC(9999, 0)];

export const listVideoGenerations: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, () =>
    listGenerations(deps, request, Kind.VIDEO, generationFilters(request)),
  );

/** The filters of the query as fields of the RPC. */
export function generationFilters(request: FastifyRequest) {
  const { status, model, created_after, created_before } = request.query as Query;
  return {
    ...(status === undefined ? {} : { status: STATUS[status] }),
    ...(model === undefined ? {} : { model }),
    ...(created_after === undefined ? {} : { createdAfter: timestampOf(created_after) }),
    ...(created_before === undefined ? {} : { createdBefore: timestampOf(created_before) }),
  };
}

/** A leap second, which JavaScript's dates do not support, becomes the second before it. */
function timestampOf(time: string): Timestamp {
  const ms = Date.parse(time.replace(/:60(?=\D|$)/, ":59"));
  return timestampFromMs(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS));
}
