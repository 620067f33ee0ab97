/** The signal of created generations: who is woken, and who is told. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  GenerationCreatedSchema,
  type GenerationCreated,
} from "#gen/proto/media/events/v1/events_pb.ts";
import { createdSignal } from "../../../services/generation/rpc/deps.ts";

it("wakes this process's worker, and tells the others once for the creates of one turn if it is full", async () => {
  const told: string[] = [];
  let hear = (_event: GenerationCreated) => {};
  let [woken, isFull] = [0, false];
  const signal = createdSignal(
    {
      listen: (_event, handler) => void (hear = handler as never),
      publish: (_event, message) =>
        void told.push((message as unknown as GenerationCreated).generationId),
    },
    () => ({ isFull: () => isFull, wake: () => void (woken += 1) }),
  );
  const created = async (...ids: string[]) => {
    for (const id of ids) signal({ accountId: "acct_a", id });
    await endOfTurn();
  };
  await created("vgen_1");
  isFull = true;
  await created("vgen_2", "vgen_3");
  await created("vgen_4");
  expect([woken, told]).toEqual([4, ["vgen_3", "vgen_4"]]);
  hear(create(GenerationCreatedSchema, { accountId: "acct_a", generationId: "vgen_5" }));
  expect(woken).toBe(5);
});
