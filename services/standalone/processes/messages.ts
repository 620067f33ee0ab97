/** What the first process and its workers tell each other. */
import type { Services, ServicesSetup } from "./services.ts";

/** The settings of the environment are read by the worker itself: it has the same. */
export type ToWorker = { setup: ServicesSetup; logFile: string };

export type FromWorker =
  | { kind: "listening" }
  | ({ kind: "ready" } & Pick<Services, "url" | "rpcUrls">)
  | { kind: "failed"; reason: string };
