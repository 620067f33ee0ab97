/** The HTTP dispatcher for URLs of clients and upstreams: it resolves hosts, and reaches public addresses only. */
import { Resolver } from "node:dns/promises";
import { existsSync, readFileSync } from "node:fs";
import { isIP, type LookupFunction } from "node:net";
import { callbackify } from "node:util";
import { Agent, buildConnector } from "undici";
import { checkUrl, isPublicAddress, type AllowAddress } from "#runtime/address.ts";

export type GuardedAgentOptions = {
  allow: AllowAddress;
  resolve?: Resolve;
  /** Whether plain http to public hosts is allowed: for results of upstreams, never for webhooks. */
  plainHttp?: boolean;
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
  const { allow, resolve = hostResolver(), plainHttp = false } = options;
  const mayReach = (address: string): boolean => allow(address) || isPublicAddress(address);
  const dial = buildConnector({
    allowH2: false,
    timeout: 10_000,
    // It asks for all addresses, whatever Node was started with.
    autoSelectFamily: true,
    lookup: guardedLookup(resolve, mayReach),
  });
  return new Agent({
    allowH2: false,
    connect(target, callback) {
      if (!checkUrl(originOf(target), allow, { plainHttp }).ok) {
        return callback(new BlockedAddressError(), null);
      }
      dial(target, (error, socket) => {
        if (error) return callback(error, null);
        if (mayReach(socket.remoteAddress ?? "")) return callback(null, socket);
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

function guardedLookup(resolve: Resolve, mayReach: (ip: string) => boolean): LookupFunction {
  const lookup = callbackify(async (hostname: string) => {
    const found = await resolve(hostname);
    if (!found.every(({ address }) => mayReach(address))) throw new BlockedAddressError();
    if (found.length === 0) throw noAddress(hostname);
    return found;
  });
  return (hostname, _options, callback) => lookup(hostname, callback);
}

function noAddress(hostname: string, cause?: unknown): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${hostname}`, { cause }), { code: "ENOTFOUND" });
}

/** All addresses of a host name, at least one; rejects with the code ENOTFOUND. */
export type Resolve = (hostname: string) => Promise<{ address: string; family: number }[]>;

export type HostResolverOptions = {
  /** Name servers, `ip:port`; those of /etc/resolv.conf if left out. */
  servers?: readonly string[];
  hostsFile?: string;
};

/** A silent name server is asked three times, for 7.5 s in all. */
const QUERIES = { timeout: 1_500, tries: 3, maxTimeout: 3_000 };
/** After this time a change of /etc/resolv.conf and the hosts file is seen. */
const SETTINGS_KEPT_MS = 60_000;
const LOOPBACK = ["127.0.0.1", "::1"];

/**
 * Looks in the hosts file first, then asks name servers for addresses of both families; IPv4 comes first. `dns.lookup`
 * uses two threads of the process, so two names whose name servers are silent would stop all other look-ups.
 */
export function hostResolver(options: HostResolverOptions = {}): Resolve {
  let settings = readSettings(options);
  return async (hostname) => {
    if (performance.now() - settings.readAt > SETTINGS_KEPT_MS) settings = readSettings(options);
    const { hosts, resolver } = settings;
    const name = hostname.toLowerCase().replace(/\.$/, "");
    const local = addressesIn(hosts, name);
    const known = local.length === 0 && name === "localhost" ? LOOPBACK : local;
    const addresses = known.length > 0 ? known : await askNameServers(resolver, name);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
}

/** The resolver remembers which name server does not answer. */
function readSettings({ servers, hostsFile = "/etc/hosts" }: HostResolverOptions) {
  const resolver = new Resolver(QUERIES);
  if (servers) resolver.setServers(servers);
  const hosts = existsSync(hostsFile) ? readFileSync(hostsFile, "utf8") : "";
  return { hosts, resolver, readAt: performance.now() };
}

function addressesIn(hosts: string, name: string): string[] {
  return hosts.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.toLowerCase().replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [address] : [];
  });
}

async function askNameServers(resolver: Resolver, name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? answer.value : [],
  );
  if (addresses.length > 0) return addresses;
  throw noAddress(name, answers.find((answer) => answer.status === "rejected")?.reason);
}
