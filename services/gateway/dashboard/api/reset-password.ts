/** resetPassword: POST /auth/password/reset. */
import type { Auth } from "../auth.ts";
import { listSessionTokens, recordSessionEnds } from "../../store/sessions.ts";
import { resetIdentifier } from "../reset-link.ts";
import { linkProblem } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const resetPassword: DashboardOperation = (deps) => async (request, reply) => {
  const { token, new_password: newPassword } = request.body as Schemas["ResetPasswordRequest"];
  const { api, $context } = await deps.auth();
  const user = await userOfLink(await $context, token);
  const ended = user ? await listSessionTokens(deps.sql, user.id) : [];
  await api.resetPassword({ body: { token, newPassword } }).catch((error: unknown) => {
    throw linkProblem(error);
  });
  if (user) {
    await recordSessionEnds(deps.sql, ended, "password_changed");
    deps.openStreams.recheck(user.id);
    // Whoever reads the user's mail signs in whatever strangers try meanwhile.
    deps.knownBrowsers.remember(reply, user.email);
  }
  return reply.code(204).send();
};

/** The user whose password the token sets. */
async function userOfLink(
  { internalAdapter }: Awaited<Auth["$context"]>,
  token: string,
): Promise<{ id: string; email: string } | undefined> {
  const link = await internalAdapter.findVerificationValue(resetIdentifier(token));
  return (link && (await internalAdapter.findUserById(link.value))) ?? undefined;
}
