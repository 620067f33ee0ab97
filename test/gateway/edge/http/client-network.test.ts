/** By which part of their address clients are told apart. */
import { expect, it } from "vitest";
import { clientNetwork } from "../../../../services/gateway/edge/http/request-state.ts";

it.each([
  ["203.0.113.7", "203.0.113.7"],
  [undefined, ""],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
])("of %s it is %s", (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
