/** Resolves hosts of URLs. `dns.lookup` has two threads, so two silent name servers would stop all look-ups. */
import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";

export type ResolvedAddress = { address: string; family: number };

/** All addresses of a host name, at least one; rejects with the code ENOTFOUND. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

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

/** Looks in the hosts file first, then asks name servers for addresses of both families; IPv4 comes first. */
export function hostResolver(options: HostResolverOptions = {}): Resolve {
  let settings = readSettings(options);
  let readAt = performance.now();
  return async (hostname) => {
    if (performance.now() - readAt > SETTINGS_KEPT_MS) {
      settings = readSettings(options);
      readAt = performance.now();
    }
    const name = hostname.toLowerCase().replace(/\.$/, "");
    const addresses = settings.hosts.get(name) ?? (await askNameServers(settings.resolver, name));
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
}

type Settings = { hosts: ReadonlyMap<string, readonly string[]>; resolver: Resolver };

function readSettings({ servers, hostsFile = "/etc/hosts" }: HostResolverOptions): Settings {
  const resolver = new Resolver(QUERIES);
  if (servers) resolver.setServers(servers);
  return { hosts: readHosts(hostsFile), resolver };
}

function readHosts(file: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of textOf(file).split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
    }
  }
  if (!hosts.has("localhost")) hosts.set("localhost", LOOPBACK);
  return hosts;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

async function askNameServers(resolver: Resolver, name: string): Promise<string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? answer.value : [],
  );
  if (addresses.length > 0) return addresses;
  const cause = answers.find((answer) => answer.status === "rejected")?.reason;
  throw Object.assign(new Error(`no address for ${name}`, { cause }), { code: "ENOTFOUND" });
}
