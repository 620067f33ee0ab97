/** What operations on users, their sessions and their ways to sign in depend on. */
import type { Auth } from "../session/auth.ts";
import type { SessionDeps } from "../session/deps.ts";
import type { DashboardOperation } from "../session/operation.ts";
import type { KnownBrowsers } from "./known-browser.ts";
import type { SignUpProof } from "./sign-up-proof.ts";

export type SignInDeps = SessionDeps & {
  /** An instance that knows the identity provider, apart because its first use waits for the provider. */
  providerAuth: () => Promise<Auth>;
  signUpProof: SignUpProof;
  knownBrowsers: KnownBrowsers;
  /** The label of the identity provider's button; undefined when none is configured. */
  oidcName: string | undefined;
};

export type SignInOperation = DashboardOperation<SignInDeps>;
