/** The operation on the user's name. */
import { cookieOf } from "../session/sessions.ts";
import type { SignInOperation } from "./deps.ts";
import type { Schemas } from "../session/operation.ts";

export const changeName: SignInOperation = (deps) => async (request, reply) => {
  const { name } = request.body as Schemas["NameRequest"];
  const { api } = await deps.auth();
  await api.updateUser({ body: { name }, headers: cookieOf(request) });
  return reply.code(204).send();
};
