/** The dependencies of the dashboard's handlers. */
import type { Contract } from "../contract.ts";
import type { Deps } from "../deps.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";
import type { Auth } from "./auth.ts";
import type { Feeds } from "./live/feeds.ts";
import type { OpenStreams } from "./live/open-streams.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Messages } from "../mail/messages.ts";
import type { KnownBrowsers } from "./known-browser.ts";
import type { SignUpProof } from "./sign-up-proof.ts";

export type DashboardDeps = Deps & {
  dashboardContract: Contract;
  /** Loaded at first use: it is large and needs the public URL. */
  auth: () => Promise<Auth>;
  /** An instance that knows the identity provider, apart because its first use waits for the provider. */
  providerAuth: () => Promise<Auth>;
  mailer: Mailer;
  messages: Messages;
  signUpProof: SignUpProof;
  knownBrowsers: KnownBrowsers;
  signInAttempts: SignInAttempts;
  feeds: Feeds;
  openStreams: OpenStreams;
  signUp: "open" | "invitation";
  /** The label of the identity provider's button; undefined when none is configured. */
  oidcName: string | undefined;
};
