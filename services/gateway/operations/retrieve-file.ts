/** retrieveFile: GET /files/{id}. */
import { presentFile } from "../presenters/file.ts";
import { ofFile, pathFile } from "./file.ts";
import { required } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const retrieveFile: Operation = (deps) => async (request) => {
  const { file } = await ofFile(deps.delivery.getFile(pathFile(deps, request)));
  return presentFile(required(file), deps.assetBaseUrl());
};
