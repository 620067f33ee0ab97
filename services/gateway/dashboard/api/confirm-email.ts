/** confirmEmail: POST /auth/email/confirm. */
import { decodeJwt } from "jose";
import { cookieOf, linkProblem } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const confirmEmail: DashboardOperation = (deps) => async (request) => {
  const { token } = request.body as Schemas["LinkTokenRequest"];
  const { api } = await deps.auth();
  await api
    .verifyEmail({ query: { token }, headers: cookieOf(request) })
    .catch((error: unknown) => {
      throw linkProblem(error);
    });
  return {
    result: resultOf(decodeJwt(token)["requestType"]),
  } satisfies Schemas["EmailConfirmation"];
};

/** By the library's name for the kind of token. */
function resultOf(requestType: unknown): Schemas["EmailConfirmation"]["result"] {
  if (requestType === "change-email-confirmation") return "sent_to_new_address";
  return requestType === "change-email-verification" ? "changed" : "verified";
}
