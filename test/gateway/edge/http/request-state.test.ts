/** Reads of the same thing share one, and by which part of their address clients are told apart. */
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  clientNetwork,
  sharedReads,
} from "../../../../services/gateway/edge/http/request-state.ts";

const reply = {
  type: () => reply,
  getSerializationFunction: () => JSON.stringify,
} as unknown as FastifyReply;
/** Reads whose results the test gives. */
const heldReads = () => {
  const held: PromiseWithResolvers<object>[] = [];
  const read = () => {
    held.push(Promise.withResolvers());
    return held.at(-1)?.promise ?? Promise.reject(new Error("unreachable"));
  };
  return { held, read };
};

describe("reads of the same at the same time", () => {
  const url = "/v1/balance";
  const callOf = (accountId = "acct", path = url, mode: "live" | "test" = "live") => {
    const request = { method: "GET", url: path, caller: { accountId, mode } } as FastifyRequest;
    return { deps: undefined, request, reply };
  };

  it("share the next read, never one that began before they arrived", async () => {
    const answer = sharedReads();
    const { held, read } = heldReads();
    const first = answer(callOf(), read);
    await expect.poll(() => held.length).toBe(1);
    const later = [1, 2, 3].map(() => answer(callOf(), read));
    held[0]?.resolve({ available: 2 });
    expect(await first).toBe('{"available":2}');
    await expect.poll(() => held.length).toBe(2);
    held[1]?.resolve({ available: 1 });
    expect(await Promise.all(later)).toEqual(later.map(() => '{"available":1}'));
    expect(held.length).toBe(2);
  });

  it("share nothing with another account, URL or mode", async () => {
    const answer = sharedReads();
    const { held, read } = heldReads();
    const others = [callOf("other"), callOf("acct", `${url}?limit=1`), callOf("acct", url, "test")];
    for (const call of [callOf(), ...others]) void answer(call, read);
    await expect.poll(() => held.length).toBe(4);
  });
});

it.each([
  ["203.0.113.7", "203.0.113.7"],
  [undefined, ""],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
])("the network of %s is %s", (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
