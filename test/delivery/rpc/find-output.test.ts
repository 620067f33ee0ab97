/** FindOutput: what it reports is of one account, and belongs to one moment. */
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { FindOutputRequestSchema } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { outputRpcs } from "../../../services/delivery/rpc/outputs.ts";
import { newAccountId } from "../../support/account.ts";
import { connectedDatabase } from "../../support/database.ts";
import { testDeps } from "../test-deps.ts";

type Address = { accountId: string; generationId: string };

async function open() {
  // One connection: statements run in the order in which they begin.
  const { sql, [Symbol.asyncDispose]: dispose } = await connectedDatabase("delivery", 1);
  return {
    /** How many outputs it finds, and how many are missing. */
    async find(address: Address) {
      const request = create(FindOutputRequestSchema, address);
      const { findOutput } = outputRpcs(testDeps({ sql, clock: systemClock }));
      const { output, missing } = await findOutput(request);
      return { outputs: output?.length, missing };
    },
    /** Makes two outputs of the generation: one that is stored, and one that is only reserved. */
    async reserve({ accountId, generationId }: Address) {
      const token = (name: string) => `${accountId}-${name}`;
      await sql`
        insert into delivery.assets (account_id, owner_id, owner_kind, position, mode, token, reserved_at, key,
          content_type, width, height, bytes, sha256, stored_at)
        values (${accountId}, ${generationId}, 'generation', 0, 'live', ${token("one")}, now(), ${token("one.png")},
            'image/png', 1, 1, 1, 'hash', now()),
          (${accountId}, ${generationId}, 'generation', 1, 'live', ${token("two")}, now(), null, null, null, null, null,
            null, null)`;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

it("does not take one of two outputs for all, where they are reserved while it reads", async () => {
  await using delivery = await open();
  const address = { accountId: newAccountId(), generationId: randomId("igen") };
  const found = delivery.find(address);
  await delivery.reserve(address);
  expect(await found).toEqual({ outputs: 0, missing: 0 });
});

it("finds nothing of another account's generation of the same id", async () => {
  await using delivery = await open();
  const generationId = randomId("igen");
  const [own, other] = [newAccountId(), newAccountId()];
  await delivery.reserve({ accountId: own, generationId });
  expect(await delivery.find({ accountId: own, generationId })).toEqual({ outputs: 1, missing: 1 });
  const ofOther = await delivery.find({ accountId: other, generationId });
  expect(ofOther).toEqual({ outputs: 0, missing: 0 });
});
