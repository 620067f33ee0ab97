/** The signal of created generations: who is told, and how often. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  GenerationCreatedSchema,
  type GenerationCreated,
} from "#gen/proto/media/events/v1/events_pb.ts";
import { createdSignal } from "../../../services/generation/rpc/created-signal.ts";

/** A bus that brings whoever listens each event that is published. */
function echoingBus() {
  const told: GenerationCreated[] = [];
  let hear = (_event: GenerationCreated) => {};
  const bus: Parameters<typeof createdSignal>[0] = {
    listen: (_event, handler) => void (hear = handler as never),
    publish: (_event, message) => {
      told.push(message as never);
      hear(message as never);
    },
  };
  return { bus, told, hear: (event: GenerationCreated) => hear(event) };
}

it("names each account once for the creates of one turn of the event loop", async () => {
  const { bus, told } = echoingBus();
  const signal = createdSignal(bus, () => {});
  for (const id of ["vgen_1", "vgen_2", "vgen_3"]) {
    signal({ accountId: "acct_a", id });
    signal({ accountId: "acct_b", id });
  }
  await endOfTurn();
  const accounts = () => told.map(({ accountId }) => accountId);
  expect(accounts()).toEqual(["acct_a", "acct_b"]);
  signal({ accountId: "acct_a", id: "vgen_4" });
  await endOfTurn();
  expect(accounts()).toEqual(["acct_a", "acct_b", "acct_a"]);
});

it("calls for the creates of other processes, and not again for those of its own", async () => {
  const { bus, hear } = echoingBus();
  let calls = 0;
  const signal = createdSignal(bus, () => (calls += 1));
  signal({ accountId: "acct_a", id: "vgen_1" });
  await endOfTurn();
  expect(calls).toBe(0);
  hear(create(GenerationCreatedSchema, { accountId: "acct_a", generationId: "vgen_2" }));
  expect(calls).toBe(1);
});
