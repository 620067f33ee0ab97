/** The addresses at which upstreams call back: made for a submit, and read again when a call comes. */
import { callbackToken, readCallbackToken } from "./domain/callback.ts";
import type { CalledBack } from "./domain/callback.ts";

export type CallbacksConfig = {
  /** What the public addresses begin with, without a slash at the end. */
  baseUrl: string;
  secret: string;
};

export type Callbacks = {
  urlOf: ((submit: CalledBack) => string) | undefined;
  /** Undefined where the token is not one of ours. */
  read: (token: string) => CalledBack | undefined;
};

/** Without a configuration nobody is asked to call back, and no call is known. */
export function createCallbacks(config: CallbacksConfig | undefined): Callbacks {
  if (!config) return { urlOf: undefined, read: () => undefined };
  return {
    urlOf: (submit) => `${config.baseUrl}/callbacks/${callbackToken(config.secret, submit)}`,
    read: (token) => readCallbackToken(config.secret, token),
  };
}
