/**
 * Every Node process of a test run loads this first (`own-environment.ts`). It refuses connections to what tests cannot
 * have opened: other machines, and the ports of this machine that services of the user have by default.
 */
import net from "node:net";

/** Ports of tests are free ones: `freePort` gives none below this, and the system none below 32768. */
const MIN_PORT = 20_000;
const LAST_IPV6 = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";

const otherMachines = new net.BlockList();
otherMachines.addRange("0.0.0.1", "126.255.255.255");
otherMachines.addRange("128.0.0.0", "255.255.255.255");
otherMachines.addRange("::2", LAST_IPV6, "ipv6");
const everything = new net.BlockList();
everything.addRange("0.0.0.0", "255.255.255.255");
everything.addRange("::", LAST_IPV6, "ipv6");

// oxlint-disable-next-line typescript/unbound-method -- it is called on the socket that connects
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  const [{ path, port, host = "localhost" }] = Array.isArray(given[0])
    ? given[0]
    : net._normalizeArgs(given);
  const isLow = !path && port < MIN_PORT;
  if (isLow && (net.isIP(host) || host === "localhost")) {
    const refused = new Error(`connect ECONNREFUSED ${host}:${port}: no test has opened this port`);
    process.nextTick(() => this.destroy(Object.assign(refused, { code: "ECONNREFUSED" })));
    return this;
  }
  // Checked when the name is resolved, for which a test may have a resolver of its own.
  this.blockList = isLow ? everything : otherMachines;
  return connect.apply(this, given);
};
