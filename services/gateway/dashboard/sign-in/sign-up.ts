/** Signing up: the mail that proves the address, and the sign-up itself. */
import { Problem } from "../../edge/http/problem.ts";
import type { InvitationRow } from "../../store/invitations.ts";
import { findUser, setEmailVerified } from "../../store/users.ts";
import { sessionBody } from "./sign-in.ts";
import {
  callOf,
  type DashboardDeps,
  type DashboardOperation,
  endRequestSession,
  type Schemas,
  setCookies,
  signedIn,
  type SignedInUser,
} from "../session/sessions.ts";
import { joinAccount, newAccount, requireOpenInvitation } from "../members/members.ts";
import { requireStrongPassword } from "./password.ts";

export const signUp: DashboardOperation = (deps) => async (request, reply) => {
  const { name, password, proof, ...body } = request.body as Schemas["SignUpRequest"];
  const email = body.email.toLowerCase();
  await deps.signInAttempts.count(email, deps.knownBrowsers.attempter(request, email));
  const invitation = body.invitation
    ? await requireOpenInvitation(deps, body.invitation)
    : undefined;
  if (invitation && invitation.email !== email) throw new Problem("wrong_invitee");
  if (!invitation && deps.signUp !== "open") throw new Problem("sign_up_closed");
  const isVerified = invitation?.isMailed || proves(deps, proof, email);
  if (!invitation && !isVerified && deps.mailer.reachesAddressee) {
    throw new Problem("email_unverified");
  }
  await requireStrongPassword(password, { param: "password", known: [email, name] });
  const { api } = await deps.auth();
  const response = await api
    .signUpEmail({ body: { name, email, password }, ...callOf(request) })
    .catch(async (error: unknown) => {
      // Also of sign-ups at the same time, of which the database lets one through.
      throw (await findUser(deps.sql, email)) ? new Problem("email_taken") : error;
    });
  const user = { ...signedIn(response.response.user), emailVerified: isVerified };
  if (isVerified) await setEmailVerified(deps.sql, user.id);
  await joinOrCreateAccount(deps, user, request.ip, invitation);
  await endRequestSession(deps, request);
  setCookies(reply, response.headers);
  deps.knownBrowsers.remember(reply, email);
  return sessionBody(deps, user);
};

/** Whether the token of a mailed link proves the address. Throws when there is a token that does not. */
function proves({ signUpProof }: DashboardDeps, proof: string | null | undefined, email: string) {
  if (proof && !signUpProof.isValid(proof, email)) throw new Problem("link_invalid");
  return Boolean(proof);
}

/** An invited user joins the inviting account; any other gets an account of their own. */
async function joinOrCreateAccount(
  deps: DashboardDeps,
  user: SignedInUser,
  address: string,
  invitation: InvitationRow | undefined,
): Promise<void> {
  if (invitation && (await joinAccount(deps, invitation, user, address))) return;
  if (deps.signUp === "open") await newAccount(deps, user, address, `${user.name}'s account`);
}

export const requestSignUp: DashboardOperation = (deps) => async (request) => {
  const { mailer, messages, signUpProof } = deps;
  if (!mailer.reachesAddressee) throw new Problem("route_not_found");
  if (deps.signUp !== "open") throw new Problem("sign_up_closed");
  const email = (request.body as Schemas["EmailRequest"]).email.toLowerCase();
  await deps.signInAttempts.countMail(email, request.ip);
  const token = signUpProof.issue(email);
  const taken = await findUser(deps.sql, email);
  mailer.send(email, taken ? messages.hasLogin() : messages.signUp(email, token));
};
