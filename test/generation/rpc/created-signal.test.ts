/** The signal of created generations: who is woken, and who is told. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  GenerationCreatedSchema,
  type GenerationCreated,
} from "#gen/proto/media/events/v1/events_pb.ts";
import { createdSignal } from "../../../services/generation/rpc/deps.ts";

function signalOf(isFull: boolean) {
  const told: string[] = [];
  let hear = (_event: GenerationCreated) => {};
  let woken = 0;
  const signal = createdSignal(
    {
      listen: (_event, handler) => void (hear = handler as never),
      publish: (_event, message) =>
        void told.push((message as unknown as GenerationCreated).generationId),
    },
    () => ({ isFull: () => isFull, wake: () => void (woken += 1) }),
  );
  return { signal, told, woken: () => woken, hear: (event: GenerationCreated) => hear(event) };
}

it("wakes this process's worker, and tells nobody while that has a free place", async () => {
  const { signal, told, woken } = signalOf(false);
  signal({ accountId: "acct_a", id: "vgen_1" });
  await endOfTurn();
  expect([woken(), told]).toEqual([1, []]);
});

it("tells the others once for the creates of one turn while the worker is full", async () => {
  const { signal, told } = signalOf(true);
  for (const id of ["vgen_1", "vgen_2"]) signal({ accountId: "acct_a", id });
  await endOfTurn();
  signal({ accountId: "acct_a", id: "vgen_3" });
  await endOfTurn();
  expect(told).toEqual(["vgen_2", "vgen_3"]);
});

it("wakes the worker for the creates of other processes", () => {
  const { hear, woken } = signalOf(false);
  hear(create(GenerationCreatedSchema, { accountId: "acct_a", generationId: "vgen_2" }));
  expect(woken()).toBe(1);
});
