/** requestSignUp: POST /auth/sign-up/mail. */
import { Problem } from "../../edge/http/problem.ts";
import { hasUser } from "../../store/users.ts";
import type { SignInOperation } from "./deps.ts";
import type { Schemas } from "../session/operation.ts";

export const requestSignUp: SignInOperation = (deps) => async (request, reply) => {
  const { mailer, messages, signUpProof } = deps;
  if (!mailer.reachesAddressee) throw new Problem("route_not_found");
  if (deps.signUp !== "open") throw new Problem("sign_up_closed");
  const email = (request.body as Schemas["EmailRequest"]).email.toLowerCase();
  await deps.signInAttempts.countMail(email, request.ip);
  const token = await signUpProof.issue(email);
  const isTaken = await hasUser(deps.sql, email);
  mailer.send(email, isTaken ? messages.hasLogin() : messages.signUp(email, token));
  return reply.code(204).send();
};
