/** The type of an adapter, and the settings that it is created with. */
import type { Clock } from "#runtime/clock.ts";
import type { Failure, Provider } from "../provider.ts";

/** Fetches a client's picture through the guarded HTTP client, for upstreams that take bytes. */
export type FetchInput = (
  url: string,
  signal: AbortSignal,
) => Promise<{ content: Uint8Array; contentType: string } | { failure: Failure }>;

export type AdapterSettings = {
  /** As the upstream documents it, without a trailing slash. The key is sent to this origin only. */
  baseUrl: string;
  key: string;
  clock: Clock;
  fetchInput: FetchInput;
  /** Verifies callbacks, for upstreams that sign them with a shared secret. */
  callbackSecret?: string;
};

export type Adapter = (settings: AdapterSettings) => Provider;
