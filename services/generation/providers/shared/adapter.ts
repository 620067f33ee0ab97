/** The type of an adapter, and the settings that it is created with. */
import type { Clock } from "#runtime/clock.ts";
import type { Provider } from "../provider.ts";

export type AdapterSettings = {
  /** The upstream's URL as documented, without a trailing slash. The key is sent to this origin only. */
  baseUrl: string;
  key: string;
  clock: Clock;
  /** Verifies callbacks, for upstreams that sign them with a shared secret. */
  callbackSecret?: string;
};

export type Adapter = (settings: AdapterSettings) => Provider;
