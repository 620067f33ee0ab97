/** deleteFile: DELETE /files/{id}. */
import { ofFile, pathFile } from "./file.ts";
import type { Operation } from "./operation.ts";

export const deleteFile: Operation = (deps) => async (request, reply) => {
  await ofFile(deps.delivery.deleteFile(pathFile(deps, request)));
  return reply.code(204).send();
};
