/** listGenerations: GET /accounts/{account_id}/generations. */
import { Kind } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { listGenerations as page } from "../../operations/list-generations.ts";
import type { DashboardOperation } from "./operation.ts";

export const listGenerations: DashboardOperation = (deps) => (request) => {
  const { kind } = request.query as { kind: "video" | "image" };
  return page(deps, request, kind === "video" ? Kind.VIDEO : Kind.IMAGE);
};
