/** Mutual TLS between services: both sides show a certificate that their common authority has signed. */
import { createSecureContext, createServer, type Server } from "node:tls";
import { ConfigError, type EnvReader } from "../env.ts";

export type RpcTls = NonNullable<ReturnType<typeof readRpcTls>>;

const HANDSHAKE_TIMEOUT_MS = 5_000;

/**
 * PEM texts, read at the start: of the authority that signs the certificates of all services, the only one that is
 * trusted, and this service's certificate, for its port and for its calls, with its key.
 */
export const readRpcTls = (env: EnvReader) =>
  readPem(env, { ca: "RPC_TLS_CA_FILE", cert: "RPC_TLS_CERT_FILE", key: "RPC_TLS_KEY_FILE" });

/** What is in the files of `variables`; undefined: none is set. A key that is not the certificate's is a problem. */
export function readPem<Name extends string>(env: EnvReader, variables: Record<Name, string>) {
  const named = Object.entries<string>(variables);
  if (named.every(([, variable]) => env.optional(variable) === undefined)) return undefined;
  const texts = Object.fromEntries(named.map(([name, variable]) => [name, env.file(variable)]));
  try {
    createSecureContext(texts);
  } catch (error) {
    env.problem(`${named.map(([, one]) => one).join(", ")}: ${(error as Error).message}`);
  }
  return texts as Record<Name, string>;
}

/** Throws where calls to a peer would be sent in plain text although they must not, or with TLS and no certificate. */
export function checkSchemes(peer: string, urls: readonly string[], tls: RpcTls | undefined): void {
  const isPlain = urls.some((url) => new URL(url).protocol === "http:");
  if (!isPlain && !tls) {
    throw new ConfigError([`the URL of ${peer} begins with https: set RPC_TLS_CA_FILE`]);
  }
  if (isPlain && tls) throw new ConfigError([`the URL of ${peer} must begin with https`]);
}

/** Emits `secureConnection` for connections with a certificate of the authority. */
export function createTlsServer(tls: RpcTls): Server {
  const server = createServer({
    ...tls,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.3",
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  });
  // Node leaves a connection open whose handshake takes too long.
  return server.on("tlsClientError", (_error, socket) => socket.destroy());
}
