/** What the dashboard's operations depend on, besides what the public ones do. */
import type { Mailer } from "../../accounts/mail/mailer.ts";
import type { Messages } from "../../accounts/mail/messages.ts";
import type { Contract } from "../../edge/http/contract.ts";
import type { Deps } from "../../edge/operations/deps.ts";
import type { Auth } from "./auth.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";

export type SessionDeps = Deps & {
  dashboardContract: Contract;
  /** Loaded at first use: it is large and needs the public URL. */
  auth: () => Promise<Auth>;
  mailer: Mailer;
  messages: Messages;
  signInAttempts: SignInAttempts;
  signUp: "open" | "invitation";
};
