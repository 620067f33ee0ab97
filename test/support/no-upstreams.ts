/** A generation service without upstreams of its own: the simulator serves what is served. */
import type {
  ConfiguredUpstreams,
  UpstreamsConfig,
} from "../../services/generation/upstreams/open-upstreams.ts";

export const NO_UPSTREAMS: UpstreamsConfig = {
  path: undefined,
  keys: { keys: {}, callbackSecrets: {}, directory: undefined },
};

/** What is opened of that configuration, for tests that put the parts of the service together. */
export const NO_CONFIGURED_UPSTREAMS: ConfiguredUpstreams = {
  of: () => [],
  byName: () => undefined,
  all: [],
  missingCredentials: [],
};
