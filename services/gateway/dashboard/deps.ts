/** The dependencies of the dashboard's handlers. */
import type { Contract } from "../contract.ts";
import type { Deps } from "../deps.ts";
import type { SignInAttempts } from "./sign-in-attempts.ts";
import type { Auth } from "./auth.ts";
import type { Feeds } from "./live/feeds.ts";

export type DashboardDeps = Deps & {
  dashboardContract: Contract;
  /** Loaded at first use: it is large and needs the public URL. */
  auth: () => Promise<Auth>;
  signInAttempts: SignInAttempts;
  feeds: Feeds;
  signUp: "open" | "invitation";
  /** The label of the identity provider's button; undefined when none is configured. */
  oidcName: string | undefined;
};
