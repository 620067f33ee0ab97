/** Decides which addresses and URLs that a client names may be called at all. */
import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Whether an address, otherwise refused, is on the development allow-list. */
export type AllowAddress = (ip: string) => boolean;

export type UrlRules = {
  /** Whether plain http on port 80 passes; only for addresses that no client names. */
  plainHttp?: boolean;
};

export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string };

const MAX_URL_CHARACTERS = 2_048;
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa)$/;

// Not public, though ipaddr.js calls them so: IPv4-compatible IPv6, and a metadata service of Azure.
const MISSED = new BlockList();
MISSED.addSubnet("::", 96, "ipv6");
MISSED.addAddress("168.63.129.16", "ipv4");

/** An allow-list that allows nothing. */
export const allowNone: AllowAddress = () => false;

/** Whether `ip` (an IPv4 or IPv6 literal, no brackets) is an address of the public Internet. */
export function isPublicAddress(ip: string): boolean {
  const version = isIP(ip);
  if (version === 0) return false;
  return ipaddr.parse(ip).range() === "unicast" && !MISSED.check(ip, family(version));
}

/** The allow-list of `list`: addresses or CIDR blocks. Throws a RangeError naming a bad entry. */
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

/**
 * Checks a URL that a client gave, as far as it can be told without asking DNS (contract.md, Request
 * rules). `reason` completes the sentence "the URL …" and may be shown to the client.
 */
export function checkUrl(text: string, allow: AllowAddress, rules: UrlRules = {}): UrlCheck {
  if (Array.from(text).length > MAX_URL_CHARACTERS)
    return refuse("must have at most 2048 characters");
  // Programs read these differently: what we check must be what another program calls.
  if (/[\s\\\p{Cc}]/u.test(text)) return refuse("must not hold spaces, backslashes or controls");
  const url = URL.parse(text);
  if (url === null) return refuse("must be a complete URL such as https://example.com/path");
  if (url.username !== "" || url.password !== "" || /^[^/]*:\/+[^/?#]*@/.test(text)) {
    return refuse("must not hold a user name or password");
  }
  const isHttp = url.protocol === "http:";
  if (!isHttp && url.protocol !== "https:") return refuse("must begin with https://");
  const host = bareHost(url);
  if (isAllowedHost(host, allow)) return { ok: true, url };
  if (isHttp && !rules.plainHttp) return refuse("must begin with https://");
  if (!isPublicHost(host)) return refuse("must name a public host");
  if (!isPublicPort(url.port)) {
    return refuse("must use port 443 or one from 1024 to 65535");
  }
  return { ok: true, url };
}

/** The host without brackets and trailing dots. WHATWG has turned 127.1 and the like to 127.0.0.1. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "");
}

function isAllowedHost(host: string, allow: AllowAddress): boolean {
  return allow(host) || (host === "localhost" && (allow("127.0.0.1") || allow("::1")));
}

/** A name without a dot is one of a local network. */
function isPublicHost(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes(".") && !LOCAL_NAME.test(host);
}

/** `port` is empty for the scheme's own. */
function isPublicPort(port: string): boolean {
  return port === "" || port === "443" || Number(port) >= 1_024;
}

function family(version: number): "ipv4" | "ipv6" {
  return version === 4 ? "ipv4" : "ipv6";
}

const refuse = (reason: string): UrlCheck => ({ ok: false, reason });
