/** DeleteGeneration, EraseAccount: nothing of what is deleted is left, and nothing of it comes back. */
import { ConnectError } from "@connectrpc/connect";
import { randomId } from "#runtime/id.ts";
import type { Db, Transaction } from "#runtime/postgres/connect.ts";
import { recordAttemptsIfLeased } from "../../../services/delivery/store/webhook-claims.ts";
import { redeliverIfNotDue } from "../../../services/delivery/store/webhook-deliveries.ts";
import { recordAsset, reserveAsset } from "../store-asset.ts";
import { racing } from "../../support/waiting-sessions.ts";
import { repeated, webhookFixture } from "../webhook/webhook-fixture.ts";

const fixture = webhookFixture();

const deleteGeneration = (generationId: string) =>
  fixture.rpc.deleteGeneration({ accountId: fixture.accountId, generationId });

const rowsLeft = async (generationId: string) => {
  const { sql, accountId } = fixture;
  const deliveries = await sql`
    select from delivery.webhook_deliveries
    where account_id = ${accountId} and generation_id = ${generationId}`;
  const attempts = await sql`
    select from delivery.webhook_attempts where account_id = ${accountId}`;
  return [deliveries.length, attempts.length];
};

const markedFiles = (generationId: string) => fixture.sql`
  select from delivery.assets
  where account_id = ${fixture.accountId} and owner_id = ${generationId} and delete_at is not null`;

const storeFile = async (generationId: string) => {
  const { sql, clock, accountId } = fixture;
  const at = clock.now();
  const token = await reserveAsset(sql, { accountId, generationId }, at);
  return recordAsset(sql, { token, at });
};

it("deletes webhooks with their attempts, marks files, and leaves other generations alone", async () => {
  const { receiver, ...other } = await fixture.sent(500, 500);
  const generationId = randomId("vgen");
  await fixture.deliver(receiver.url, { generationId });
  await fixture.sendDue();
  await fixture.deliver(receiver.url, { generationId });
  expect(await rowsLeft(generationId)).toEqual([2, 2]);
  await storeFile(generationId);
  for (let i = 0; i < 2; i++) {
    await deleteGeneration(generationId);
    expect(await rowsLeft(generationId)).toEqual([0, 1]);
  }
  expect((await fixture.stateOf(other)).attempts).toHaveLength(1);
  expect(await markedFiles(generationId)).toHaveLength(1);
});

it("lets nothing of it in any more: no late event, no late file", async () => {
  const generationId = randomId("vgen");
  await deleteGeneration(generationId);
  await fixture.deliver("https://hooks.example/", { generationId });
  expect(await rowsLeft(generationId)).toEqual([0, 0]);
  expect(await storeFile(generationId)).toBeUndefined();
});

it("waits for a webhook that is being accepted, and deletes it", async () => {
  const { accountId, sql } = fixture;
  const generationId = randomId("vgen");
  const id = randomId("whd");
  const accepts = (tx: Transaction) => tx`
    select delivery.insert_delivery(${accountId}, ${id}, 'live', ${randomId("evt")}, 'type', ${generationId},
      'https://hooks.example/', 'hooks.example', '', ${fixture.clock.now()}, null, null)`;
  await racing(sql, accepts, () => deleteGeneration(generationId));
  expect(await rowsLeft(generationId)).toEqual([0, 0]);
});

it("waits for an attempt that is being recorded, and for a redelivery, and deletes them", async () => {
  const { accountId, clock, sql } = fixture;
  const deletesDuring = async (move: (tx: Transaction, id: string) => Promise<unknown>) => {
    const generationId = randomId("vgen");
    const { id } = await fixture.deliver("https://hooks.example/", { generationId });
    const moves = (tx: Transaction) => move(tx, id);
    await racing(sql, moves, () => deleteGeneration(generationId));
    expect(await rowsLeft(generationId)).toEqual([0, 0]);
  };
  const recordAttempt = async (tx: Db) => {
    const [claimed] = await fixture.claimBy(tx);
    if (!claimed) throw new Error("nothing was claimed");
    await recordAttemptsIfLeased(tx, [fixture.arrived(claimed)], 0);
  };
  await deletesDuring(recordAttempt);
  await deletesDuring(async (tx, id) => {
    await recordAttempt(sql);
    const owner = { accountId, mode: "live" } as const;
    expect(await redeliverIfNotDue(tx, owner, id, clock.now())).toBe(true);
  });
});

it("records no attempt of a webhook that was claimed before", async () => {
  const receiver = await fixture.receiver();
  const { sender } = fixture;
  const generationId = randomId("vgen");
  await fixture.deliver(receiver.url, { generationId });
  const slots = await sender.claim(64);
  await deleteGeneration(generationId);
  await Promise.all(slots.map((slot) => sender.work(slot, new AbortController().signal)));
  expect(receiver.received).toHaveLength(1);
  expect(await rowsLeft(generationId)).toEqual([0, 0]);
});

it("is finished by the repeated call where the first was cut off between its steps", async () => {
  const { schemaOwner } = fixture;
  const generationId = randomId("vgen");
  await fixture.deliver("https://hooks.example/", { generationId });
  await storeFile(generationId);
  await schemaOwner`revoke update on delivery.assets from media_delivery`;
  await expect(deleteGeneration(generationId)).rejects.toBeInstanceOf(ConnectError);
  await schemaOwner`grant update on delivery.assets to media_delivery`;
  await deleteGeneration(generationId);
  expect(await markedFiles(generationId)).toHaveLength(1);
});

it("is done for a whole account once all its outputs are marked, 1,000 with each call", async () => {
  const { accountId, clock, rpc, sql } = fixture;
  await Promise.all(repeated(1_001, "vgen" as const).map((it) => storeFile(randomId(it))));
  clock.advance(1);
  const erase = async () => {
    const { done } = await rpc.eraseAccount({ accountId });
    const { count } = await sql`
      select from delivery.assets where account_id = ${accountId} and delete_at is null`;
    return [done, count];
  };
  expect(await erase()).toEqual([false, 1]);
  expect(await erase()).toEqual([true, 0]);
});
