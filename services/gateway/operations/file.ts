/** Shared by the operations on one file: its name in RPCs, and 404 for a file that there is not. */
import type { FastifyRequest } from "fastify";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { modeOf } from "#runtime/mode.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";
import { pathId } from "./operation.ts";

/** The file in the path, for the caller's account and mode. Throws 404 for what is no file's id. */
export function pathFile(deps: Deps, request: FastifyRequest) {
  const fileId = pathId(request);
  if (!deps.contract.matches("FileId", fileId)) throw fileNotFound();
  const { accountId, mode } = callerOf(request);
  return { accountId, mode: modeOf(mode), fileId };
}

/** The answer of an RPC on the file in the path. */
export async function ofFile<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw reasonOf(error) === ErrorReason.FILE_NOT_FOUND ? fileNotFound() : error;
  }
}

/** In the path it is 404; in the body of a create it is 400. */
function fileNotFound(): Problem {
  return new Problem("file_not_found", { type: "not_found_error" });
}
