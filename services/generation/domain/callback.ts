/** Callback URLs of submits: the token in each names one submit and is signed, so only this service can make one. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Which submit an upstream calls back about. */
export type SubmitAddress = { accountId: string; generationId: string; submitToken: string };

/** 128 bits: a forger can only guess them by sending requests to this service. */
const SIGNATURE_BYTES = 16;
const SEPARATOR = "/";

function signed(secret: string, address: string): string {
  const mac = createHmac("sha256", secret).update(`callback ${address}`).digest();
  return `${address}.${mac.subarray(0, SIGNATURE_BYTES).toString("base64url")}`;
}

export type CallbacksConfig = {
  /** The beginning of every callback URL, without a trailing slash. */
  baseUrl: string;
  /** Signs the tokens in the URLs; the same in every process. A token is valid until it changes. */
  secret: string;
};

export type Callbacks = ReturnType<typeof createCallbacks>;

/** Without a configuration callbacks are off: there are no URLs and no token is valid. */
export function createCallbacks(config: CallbacksConfig | undefined) {
  if (!config) return { urlOf: undefined, read: () => undefined };
  const { baseUrl, secret } = config;
  return {
    urlOf: ({ accountId, generationId, submitToken }: SubmitAddress): string => {
      const text = [accountId, generationId, submitToken].join(SEPARATOR);
      const address = Buffer.from(text).toString("base64url");
      return `${baseUrl}/callbacks/${signed(secret, address)}`;
    },
    /** The submit that the token names; undefined if this service did not sign it. */
    read: (token: string): SubmitAddress | undefined => {
      const [address = ""] = token.split(".");
      const [given, expected] = [Buffer.from(token), Buffer.from(signed(secret, address))];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const text = Buffer.from(address, "base64url").toString();
      const [accountId = "", generationId = "", submitToken = ""] = text.split(SEPARATOR);
      return { accountId, generationId, submitToken };
    },
  };
}
