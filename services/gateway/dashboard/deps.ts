/** All that the dashboard's rooms depend on; each says what it needs itself. */
import type { SignInDeps } from "./sign-in/deps.ts";

export type DashboardDeps = SignInDeps;
