/** Creates at the same time: one id is one generation, an account never spends more than it has, and who is signaled. */
import { setImmediate as endOfTurn } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import {
  GenerationCreatedSchema,
  type GenerationCreated,
} from "#gen/proto/media/events/v1/events_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { isLong } from "../../support/test-size.ts";
import { isDown, realClock, refusalOf, useHarness, videoRequest } from "../fixture.ts";
import { createdSignal } from "../../../services/generation/rpc/deps.ts";
import type { NewGeneration } from "../../../services/generation/store/creates.ts";
import { batchedWrites } from "../../../services/generation/store/writes.ts";

const h = useHarness({ clock: realClock });

describe("concurrent creates", () => {
  it("of the same id and content are answered with one generation and charged once", async () => {
    const { accountId } = h;
    const call = videoRequest(accountId);
    const results = await Promise.all(Array.from({ length: 20 }, () => h.client.createVideo(call)));
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(results.map(({ generation }) => generation?.id)).size).toBe(1);
    expect(await h.balance(accountId)).toEqual([500n, 500n]);
  });

  it.each(isLong ? [0, 1, 57, 199] : [57])(
    "of 200 different ids, with Tokens for %i, accept exactly that many",
    async (count) => {
      const accountId = await h.account(500n * BigInt(count));
      const calls = Array.from({ length: 200 }, () =>
        h.client.createVideo(videoRequest(accountId)),
      );
      const refused = (await Promise.allSettled(calls)).filter((one) => one.status === "rejected");
      expect(refused.map(({ reason }) => reasonOf(reason))).toEqual(
        Array.from({ length: 200 - count }, () => ErrorReason.INSUFFICIENT_TOKENS),
      );
      expect(await h.balance(accountId)).toEqual([0n, 500n * BigInt(count)]);
    },
  );
});

it("creates that reach two processes at once are stored once each, in whatever order they come", async () => {
  const [one, other] = [batchedWrites(h.sql), batchedWrites(h.sql)];
  let made = {} as NewGeneration;
  const insert = (row: NewGeneration) => {
    made = { ...row, insertBy: new Date("2126-11-21T12:00:00Z") };
    return isDown();
  };
  h.replace("writes", { insert });
  await refusalOf(h.client.createVideo(videoRequest(h.accountId)));
  for (let round = 0; round < 5; round++) {
    const rows = Array.from({ length: 200 }, () => ({ ...made, id: randomId("vgen") }));
    const stored = await Promise.all([
      ...rows.map((row) => one.insert(row)),
      ...rows.toReversed().map((row) => other.insert(row)),
    ]);
    expect(stored.filter((row) => row !== undefined)).toHaveLength(200);
  }
});

it("a create wakes this process's worker, and tells the others once for the creates of one turn if it is full", async () => {
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
