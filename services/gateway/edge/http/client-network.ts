/** The part of a client's address that one client cannot change at will. */
import ipaddr from "ipaddr.js";

const IPV6_SUBNET_PARTS = 4;

/** An IPv4 address as it is, of an IPv6 address its /64. A connection that was reset has no address. */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined) return "";
  // An IPv4 address, which is not looked at for each request.
  if (!address.includes(":") || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const parts = parsed.parts.slice(0, IPV6_SUBNET_PARTS).map((part) => part.toString(16));
  return `${parts.join(":")}::/64`;
}
