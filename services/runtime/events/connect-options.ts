/** The options of the NATS client: it keeps looking for a server, and notices a silent server within seconds. */
import { readFileSync } from "node:fs";
import {
  credsAuthenticator,
  nkeyAuthenticator,
  type ConnectionOptions,
  type TlsOptions,
} from "nats";
import type { NatsConfig, NatsCredentials, NatsTls } from "./config.ts";

const CONNECT_TIMEOUT_MS = 2_000;
/** A server that has not answered three pings in a row is left for another. */
const PING_EVERY_MS = 2_000;
const MAX_UNANSWERED_PINGS = 2;

/** The pause before the next try when the event stream is unavailable. */
export const RETRY_MS = 500;

export function connectOptions({ servers, credentials, tls }: NatsConfig): ConnectionOptions {
  return {
    servers,
    ...authenticationOf(credentials),
    ...(tls === undefined ? {} : { tls: tlsOptions(tls) }),
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_EVERY_MS,
    maxPingOut: MAX_UNANSWERED_PINGS,
    noAsyncTraces: true,
  };
}

function authenticationOf(credentials: NatsCredentials): ConnectionOptions {
  switch (credentials.kind) {
    case "none":
      return {};
    case "password":
      return { user: credentials.user, pass: credentials.password };
    case "token":
      return { token: credentials.token };
    case "creds":
      return { authenticator: credsAuthenticator(() => readFileSync(credentials.file)) };
    case "nkey":
      return { authenticator: nkeyAuthenticator(() => seedIn(credentials.seedFile)) };
  }
}

function seedIn(file: string): Uint8Array {
  return new TextEncoder().encode(readFileSync(file, "utf8").trim());
}

/** Without paths: while the client read files, a reset of the socket would be an uncaught exception. */
function tlsOptions({ caFile, certFile, keyFile }: NatsTls): TlsOptions {
  const options: TlsOptions = {};
  const files = { ca: caFile, cert: certFile, key: keyFile };
  for (const [name, file] of Object.entries(files)) {
    if (file === undefined) continue;
    Object.defineProperty(options, name, {
      enumerable: true,
      get: () => readFileSync(file, "utf8"),
    });
  }
  return options;
}
