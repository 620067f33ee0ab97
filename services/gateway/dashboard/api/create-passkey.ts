/** createPasskey: POST /auth/passkeys. */
import { Problem } from "../../problem.ts";
import { cookieOf, isRefusal } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const createPasskey: DashboardOperation = (deps) => async (request, reply) => {
  const { name, response } = request.body as Schemas["CreatePasskeyRequest"];
  const { api } = await deps.auth();
  await api
    .verifyPasskeyRegistration({ body: { name, response }, headers: cookieOf(request) })
    .catch((error: unknown) => {
      throw isRefusal(error) ? new Problem("wrong_passkey") : error;
    });
  return reply.code(204).send();
};
