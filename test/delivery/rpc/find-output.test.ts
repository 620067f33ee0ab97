/** FindOutput: what it reports belongs to one moment. */
import type { HandlerContext } from "@connectrpc/connect";
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { FindOutputRequestSchema } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { findOutput } from "../../../services/delivery/rpc/outputs.ts";
import { newAccountId } from "../../support/account.ts";
import { testDatabase } from "../../support/database.ts";
import { testDeps } from "../test-deps.ts";

it("does not take one of two outputs for all, where they are reserved while it reads", async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await testDatabase("delivery"));
  // One connection: the statements below run in the order in which they begin.
  const sql = connectPostgres({ url, maxConnections: 1 }, "test");
  stack.defer(() => sql.end({ timeout: 1 }));
  const address = { accountId: newAccountId(), generationId: randomId("igen") };
  const request = create(FindOutputRequestSchema, address);
  const found = findOutput(testDeps({ sql, clock: systemClock }))(request, {} as HandlerContext);
  const { accountId, generationId } = address;
  await sql`
    insert into delivery.assets (account_id, owner_id, owner_kind, position, mode, token, reserved_at, key,
      content_type, width, height, bytes, sha256, stored_at)
    values (${accountId}, ${generationId}, 'generation', 0, 'live', 'one', now(), 'one.png', 'image/png', 1, 1, 1,
        'hash', now()),
      (${accountId}, ${generationId}, 'generation', 1, 'live', 'two', now(), null, null, null, null, null, null, null)`;
  const { output, missing } = await found;
  expect({ outputs: output?.length, missing }).toEqual({ outputs: 0, missing: 0 });
});
