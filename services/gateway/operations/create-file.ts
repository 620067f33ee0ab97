/** createFile: POST /files. */
import { modeOf } from "#runtime/mode.ts";
import { callerOf } from "../http/request-state.ts";
import { uploadOf } from "../http/upload.ts";
import { presentFile } from "../presenters/file.ts";
import { createdId } from "./create.ts";
import { required } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const createFile: Operation = (deps) => async (request, reply) => {
  const { accountId, mode } = callerOf(request);
  const { file, replayed } = await deps.delivery.createFile({
    accountId,
    mode: modeOf(mode),
    fileId: createdId(deps, request, "createFile", "file"),
    content: uploadOf(request),
  });
  if (replayed) void reply.header("Idempotent-Replayed", "true");
  void reply.code(201);
  return presentFile(required(file), deps.assetBaseUrl());
};
