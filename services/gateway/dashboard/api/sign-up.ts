/** signUp: POST /auth/sign-up. */
import { Problem } from "../../problem.ts";
import type { InvitationRow } from "../../store/invitations.ts";
import type { DashboardDeps } from "../deps.ts";
import { openInvitation } from "../invitations.ts";
import type { SignedIn } from "../request-state.ts";
import { cookieOf, endSession, isRefusal, setCookies } from "../sessions.ts";
import { join } from "./accept-invitation.ts";
import { newAccount } from "./create-account.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";
import { sessionBody } from "./session-body.ts";

export const signUp: DashboardOperation = (deps) => async (request, reply) => {
  const { name, password, invitation: token, ...body } = request.body as Schemas["SignUpRequest"];
  const email = body.email.toLowerCase();
  await deps.attempts.count(email, request.ip);
  const invitation = token ? await openInvitation(deps, token) : undefined;
  if (invitation && invitation.email !== email) throw new Problem("wrong_invitee");
  if (!invitation && deps.signUp !== "open") throw new Problem("sign_up_closed");
  const { api } = await deps.auth();
  const answer = await api
    .signUpEmail({
      body: { name, email, password },
      headers: cookieOf(request),
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      throw problemOf(error);
    });
  const { user } = answer.response;
  await begin(deps, user, invitation);
  await endSession(deps, request);
  setCookies(reply, answer.headers);
  void reply.code(201);
  return sessionBody(deps, user);
};

/** The invited join; the others get an account of their own. */
async function begin(
  deps: DashboardDeps,
  user: SignedIn,
  invitation: InvitationRow | undefined,
): Promise<void> {
  if (invitation && (await join(deps, invitation, user.id))) return;
  if (deps.signUp === "open") await newAccount(deps, user.id, `${user.name}'s account`);
}

function problemOf(error: unknown): unknown {
  if (!isRefusal(error)) return error;
  const code = String(error.body?.code);
  return code.startsWith("USER_ALREADY_EXISTS") ? new Problem("email_taken") : error;
}
