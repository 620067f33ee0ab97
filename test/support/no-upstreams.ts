/** A generation service without upstreams of its own: the simulator serves what is served. */
import type { UpstreamsConfig } from "../../services/generation/upstreams/open-upstreams.ts";

export const NO_UPSTREAMS: UpstreamsConfig = {
  path: undefined,
  keys: { keys: {}, callbackSecrets: {}, directory: undefined },
};
