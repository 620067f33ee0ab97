/** What an adapter to an upstream is made from. */
import type { Clock } from "#runtime/clock.ts";
import type { Failure, Provider } from "../provider.ts";

/** Fetches a client's picture through the guarded client, for upstreams that want bytes. */
export type FetchInput = (
  url: string,
  signal: AbortSignal,
) => Promise<{ content: Uint8Array; contentType: string } | { failure: Failure }>;

export type AdapterSettings = {
  /** As the upstream documents it, without a slash at the end. The key goes to its origin alone. */
  baseUrl: string;
  key: string;
  clock: Clock;
  fetchInput: FetchInput;
  /** What the upstream signs its callbacks with, where it does so with a secret. */
  callbackSecret?: string;
};

export type Adapter = (settings: AdapterSettings) => Provider;
