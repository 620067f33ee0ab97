/** Opens the byte stream to a Postgres server: TCP, then TLS where wanted. */
import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { DatabaseHost } from "./database-url.ts";
import { DatabaseUnavailable } from "./unavailable.ts";

/** An idle connection is probed after this time, so that a path that is cut without a word is noticed. */
const KEEP_ALIVE_MS = 5_000;
/** The length of the message, then the code that Postgres takes for a request to use TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const SSL_ACCEPTED = "S";

/** Rejects when the stream is not ready within `timeoutMs`. */
export async function openStream(
  { host, port }: DatabaseHost,
  tls: ConnectionOptions | undefined,
  timeoutMs: number,
): Promise<Socket> {
  const tcp = connectTcp({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
  });
  const timer = setTimeout(() => {
    tcp.destroy(new DatabaseUnavailable(`no connection to ${host}:${port} within ${timeoutMs} ms`));
  }, timeoutMs);
  try {
    await once(tcp, "connect");
    return tls ? await encrypted(tcp, { host, port }, tls) : tcp;
  } catch (error) {
    tcp.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function encrypted(
  tcp: Socket,
  { host, port }: DatabaseHost,
  tls: ConnectionOptions,
): Promise<Socket> {
  tcp.write(SSL_REQUEST);
  const answer = once(tcp, "data");
  const closed = once(tcp, "close").then(() => [Buffer.alloc(0)]);
  // Exactly one byte: more of them came from somebody who speaks before the encryption.
  const [reply] = (await Promise.race([answer, closed])) as [Buffer];
  if (reply.toString() !== SSL_ACCEPTED) throw new Error(`${host}:${port} does not offer TLS`);
  const servername = isIP(host) ? {} : { servername: host };
  const secure = connectTls({ socket: tcp, host, ...servername, ...tls });
  await once(secure, "secureConnect").catch((cause: Error) => {
    throw new Error(`TLS with ${host}:${port} failed: ${cause.message}`, { cause });
  });
  return secure;
}
