/** Decides which addresses and URLs given by clients may be called (SSRF protection). */
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { EnvReader } from "./env.ts";

/** Whether an address that is not public is on the development allow-list. */
export type AllowAddress = (ip: string) => boolean;

export type UrlCheck =
  | { ok: true; url: URL }
  /** `isPrivate`: the host is not one of the public Internet. */
  | { ok: false; reason: string; isPrivate?: true };

const MAX_URL_CHARACTERS = 2_048;
/** The limit of DNS. */
const MAX_HOST_CHARACTERS = 253;
const NOT_COMPLETE = "must be a complete URL such as https://example.com/path";
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)$/;

// ipaddr.js classifies these as public: IPv4-compatible IPv6 addresses and the metadata service of Azure.
const NOT_PUBLIC = new BlockList();
NOT_PUBLIC.addSubnet("::", 96, "ipv6");
NOT_PUBLIC.addAddress("168.63.129.16", "ipv4");

export const allowNone: AllowAddress = () => false;

/** Whether `ip` (an IPv4 or IPv6 literal, no brackets) is an address of the public Internet. */
export function isPublicAddress(ip: string): boolean {
  const version = isIP(ip);
  if (version === 0) return false;
  return ipaddr.parse(ip).range() === "unicast" && !NOT_PUBLIC.check(ip, family(version));
}

/** The allow-list of these addresses and CIDR blocks. Throws a RangeError that names a bad entry. */
export function parseCidrs(list: readonly string[]): AllowAddress {
  const allowed = new BlockList();
  for (const entry of list) {
    const [ip = "", prefix, ...rest] = entry.split("/");
    const version = isIP(ip);
    const bits = version === 4 ? 32 : 128;
    const isNumber = prefix === undefined || /^\d{1,3}$/.test(prefix);
    if (version === 0 || rest.length > 0 || !isNumber || Number(prefix ?? 0) > bits) {
      throw new RangeError(`not an address or CIDR block: "${entry}"`);
    }
    allowed.addSubnet(ip, Number(prefix ?? bits), family(version));
  }
  return (ip) => {
    const version = isIP(ip);
    return version !== 0 && allowed.check(ip, family(version));
  };
}

/** A variable's addresses and CIDR blocks as written, and what has one of the names. A wrong entry is a problem. */
export function readCidrs(reader: EnvReader, variable: string, names: string[] = []): string[] {
  const list = reader.list(variable);
  try {
    parseCidrs(list.filter((entry) => !names.includes(entry)));
  } catch (error) {
    reader.problem(`${variable}: ${(error as Error).message}`);
  }
  return list;
}

/** EGRESS_ALLOW, the development allow-list. Any entry is a problem in production. */
export function readEgressAllow(reader: EnvReader): string[] {
  const list = readCidrs(reader, "EGRESS_ALLOW");
  if (list.length > 0 && reader.isProduction) {
    reader.problem("EGRESS_ALLOW must not be set when NODE_ENV is production");
  }
  return list;
}

/**
 * Resolves no host. `reason` completes "the URL …" and may be shown to the client. `plainHttp` allows http too: only for
 * URLs that do not come from clients.
 */
export function checkUrl(text: string, allow: AllowAddress, { plainHttp = false } = {}): UrlCheck {
  // A character is one or two of what `length` counts.
  const isLong =
    text.length > 2 * MAX_URL_CHARACTERS || Array.from(text).length > MAX_URL_CHARACTERS;
  if (isLong) return refuse("must have at most 2048 characters");
  // URL parsers disagree about these characters: the URL checked here must be the URL that is called later.
  if (/[\s\\\p{Cc}]/u.test(text)) return refuse("must not contain spaces, backslashes or controls");
  // The parser here replaces half a surrogate pair, and nothing that is stored or sent may contain one.
  if (!text.isWellFormed()) return refuse("must be well-formed Unicode");
  const url = URL.parse(text);
  if (url === null) return refuse(NOT_COMPLETE);
  if (url.username !== "" || url.password !== "" || /^[^/]*:\/+[^/?#]*@/.test(text)) {
    return refuse("must not contain a user name or password");
  }
  const isHttp = url.protocol === "http:";
  if (!isHttp && url.protocol !== "https:") return refuse("must begin with https://");
  // The parser here adds and drops slashes; upstreams, which get the URL as it was sent, do not.
  if (!/^[a-z]+:\/\/[^/?#]/i.test(text)) return refuse(NOT_COMPLETE);
  const host = bareHost(url);
  // A name written in other letters becomes longer.
  if (host.length > MAX_HOST_CHARACTERS)
    return refuse("must name a host of at most 253 characters");
  const isThisMachine = host === "localhost" && (allow("127.0.0.1") || allow("::1"));
  if (isThisMachine || allow(host)) return { ok: true, url };
  const begin = isHttp && !plainHttp ? "must begin with https://" : undefined;
  if (!isPublicHost(host)) {
    // Both at once: whoever corrects the scheme alone would be refused again.
    const reason = begin ? `${begin} and name a public host` : "must name a public host";
    return { ok: false, reason, isPrivate: true };
  }
  if (begin) return refuse(begin);
  // The default port of the scheme is empty.
  if (url.port !== "" && url.port !== "443" && Number(url.port) < 1_024)
    return refuse("must use port 443 or one from 1024 to 65535");
  return { ok: true, url };
}

/** The host without brackets and trailing dots. The URL parser has already turned 127.1 and the like into 127.0.0.1. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/(?<!\.)\.+$/, "");
}

/** A name without a dot belongs to the local network; one with two in a row belongs to nobody. */
function isPublicHost(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes(".") && !host.includes("..") && !LOCAL_NAME.test(host);
}

function family(version: number): "ipv4" | "ipv6" {
  return version === 4 ? "ipv4" : "ipv6";
}

const refuse = (reason: string): UrlCheck => ({ ok: false, reason });
