/** The HTTP dispatcher for URLs that clients and upstreams name: it connects to public addresses only. */
import { isIP, type LookupFunction, type Socket } from "node:net";
import { callbackify } from "node:util";
import { Agent, buildConnector } from "undici";
import { checkUrl, isPublicAddress, type AllowAddress } from "#runtime/address.ts";
import { hostResolver, type Resolve } from "./host-resolver.ts";

export type GuardedAgentOptions = {
  allow: AllowAddress;
  resolve?: Resolve;
  connectTimeoutMs?: number;
  maxHeaderBytes?: number;
  /** Whether plain http to public hosts is allowed: for results of upstreams, never for webhooks. */
  plainHttp?: boolean;
  /** Further certificates to trust. */
  ca?: string | Buffer;
};

/** The URL or an address of its host is not public. */
export class BlockedAddressError extends Error {
  override name = "BlockedAddressError";
}

/**
 * An undici Agent that checks three times: the URL's host before the look-up (address literals are never looked up),
 * every address that the look-up returns, and the address that the socket is connected to. One private address among
 * public ones blocks the host. Only checked addresses are dialled, and TLS still verifies the host name.
 */
export function createGuardedAgent(options: GuardedAgentOptions): Agent {
  const { allow, resolve = hostResolver(), connectTimeoutMs = 10_000, plainHttp = false } = options;
  const mayReach = (address: string): boolean => allow(address) || isPublicAddress(address);
  const dial = buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    lookup: guardedLookup(resolve, mayReach),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  return new Agent({
    maxHeaderSize: options.maxHeaderBytes ?? 16_384,
    allowH2: false,
    connect(target, callback) {
      if (!checkUrl(originOf(target), allow, { plainHttp }).ok) {
        return callback(new BlockedAddressError(), null);
      }
      dial(target, (error, socket) => {
        if (error) return callback(error, null);
        if (mayReach(remoteOf(socket))) return callback(null, socket);
        socket.destroy();
        callback(new BlockedAddressError(), null);
      });
    },
  });
}

function originOf({ protocol, hostname, port }: buildConnector.Options): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return `${protocol}//${host}${port ? `:${port}` : ""}/`;
}

function remoteOf(socket: Socket): string {
  return socket.remoteAddress ?? "";
}

function guardedLookup(resolve: Resolve, mayReach: (ip: string) => boolean): LookupFunction {
  const lookup = callbackify(async (hostname: string, family: unknown) => {
    const found = await resolve(hostname);
    if (!found.every(({ address }) => mayReach(address))) throw new BlockedAddressError();
    const wanted = found.filter((one) => one.family === family || !(family === 4 || family === 6));
    if (wanted.length === 0) throw notFound(hostname);
    return wanted;
  });
  return (hostname, { all, family }, callback) => {
    lookup(hostname, family, (error, found) => {
      const [first] = found ?? [];
      if (error || first === undefined) callback(error, "");
      else if (all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${hostname}`), { code: "ENOTFOUND" });
}
