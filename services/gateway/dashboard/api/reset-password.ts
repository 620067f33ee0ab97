/** resetPassword: POST /auth/password/reset. */
import type { Auth } from "../auth.ts";
import { resetIdentifier } from "../reset-link.ts";
import { linkProblem } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const resetPassword: DashboardOperation = (deps) => async (request, reply) => {
  const { token, new_password: newPassword } = request.body as Schemas["ResetPasswordRequest"];
  const { api, $context } = await deps.auth();
  const email = await emailOf(await $context, token);
  await api.resetPassword({ body: { token, newPassword } }).catch((error: unknown) => {
    throw linkProblem(error);
  });
  // Whoever reads the user's mail signs in whatever strangers try meanwhile.
  if (email !== undefined) deps.knownBrowsers.remember(reply, email);
  return reply.code(204).send();
};

/** The e-mail of the user whose password the token sets. */
async function emailOf(
  { internalAdapter }: Awaited<Auth["$context"]>,
  token: string,
): Promise<string | undefined> {
  const link = await internalAdapter.findVerificationValue(resetIdentifier(token));
  return link ? (await internalAdapter.findUserById(link.value))?.email : undefined;
}
