/** The signal of created generations: who is told, and how often. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createdSignal } from "../../services/generation/created-signal.ts";

it("names each account once for the creates of one turn of the event loop", async () => {
  const told: string[] = [];
  const signal = createdSignal({
    publish: (_event, message) =>
      told.push((message as unknown as { accountId: string }).accountId),
  });
  for (const id of ["vgen_1", "vgen_2", "vgen_3"]) {
    signal({ accountId: "acct_a", id });
    signal({ accountId: "acct_b", id });
  }
  await endOfTurn();
  expect(told).toEqual(["acct_a", "acct_b"]);
  signal({ accountId: "acct_a", id: "vgen_4" });
  await endOfTurn();
  expect(told).toEqual(["acct_a", "acct_b", "acct_a"]);
});
