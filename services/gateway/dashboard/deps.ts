/** What the dashboard's handlers need, beside what all of the gateway's do. */
import type { Contract } from "../contract.ts";
import type { Deps } from "../deps.ts";
import type { Attempts } from "./attempts.ts";
import type { Auth } from "./auth.ts";
import type { Feeds } from "./live/feeds.ts";

export type DashboardDeps = Deps & {
  dashboard: Contract;
  /** Read when it is first needed: it is large, and needs the public URL. */
  auth: () => Promise<Auth>;
  attempts: Attempts;
  feeds: Feeds;
  signUp: "open" | "invitation";
  /** What the identity provider's button says, where there is one. */
  oidcName: string | undefined;
};
