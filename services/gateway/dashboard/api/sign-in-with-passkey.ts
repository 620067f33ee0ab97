/** signInWithPasskey: POST /auth/sign-in/passkey. */
import type { AuthenticationResponseJSON } from "@simplewebauthn/browser";
import { Problem } from "../../problem.ts";
import { cookieOf, isRefusal } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";
import { finishSignIn } from "./sign-in.ts";

export const signInWithPasskey: DashboardOperation = (deps) => async (request, reply) => {
  const { response } = request.body as Schemas["PasskeyRequest"];
  const { api } = await deps.auth();
  const verified = await api
    .verifyPasskeyAuthentication({
      // The library checks it.
      body: { response: response as unknown as AuthenticationResponseJSON },
      headers: cookieOf(request),
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      throw isRefusal(error) ? new Problem("wrong_passkey") : error;
    });
  return finishSignIn(deps, request, reply, verified.headers, verified.response.user);
};
