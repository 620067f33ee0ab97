/** Callback URLs: made for a submit, and read again when an upstream calls one. */
import { callbackToken, readCallbackToken, type SubmitAddress } from "../domain/callback.ts";

export type CallbacksConfig = {
  /** The beginning of every callback URL, without a trailing slash. */
  baseUrl: string;
  /** Signs the tokens in the URLs; the same in every process. */
  secret: string;
};

export type Callbacks = {
  /** The callback URL of a submit; undefined if callbacks are off. */
  urlOf: ((submit: SubmitAddress) => string) | undefined;
  /** The submit that the token names; undefined if this service did not sign it. */
  read: (token: string) => SubmitAddress | undefined;
};

/** Without a configuration callbacks are off: there are no URLs and no token is valid. */
export function createCallbacks(config: CallbacksConfig | undefined): Callbacks {
  if (!config) return { urlOf: undefined, read: () => undefined };
  return {
    urlOf: (submit) => `${config.baseUrl}/callbacks/${callbackToken(config.secret, submit)}`,
    read: (token) => readCallbackToken(config.secret, token),
  };
}
