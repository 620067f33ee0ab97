import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { defaultCatalogPath, openCatalog } from "../../../services/generation/catalog/catalog.ts";
import { compareHolds } from "../../../services/generation/reconcile/compare.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

let h: Harness;
beforeAll(async () => {
  h = await generationHarness();
});
afterAll(() => h[Symbol.asyncDispose]());

const PRICE = 500n;
const request = (accountId: string, generationId = randomId("vgen")) => ({
  accountId,
  mode: Mode.LIVE,
  generationId,
  model: "beta-3.0-video",
  input: { prompt: "a cat in the rain" },
});

/** Where a create can be cut off; each leaves the database as a crash there would. */
const CUTS = {
  "after the row, before the hold": async (accountId: string, id: string) => {
    await insertRow(accountId, id);
  },
  "after the hold, before the acknowledgement": async (accountId: string, id: string) => {
    await insertRow(accountId, id);
    const hold = { accountId, mode: Mode.LIVE, generationId: id, attempt: 1 };
    await h.billing.reserve({ hold, tokens: PRICE });
  },
  "after the row was voided, before the hold was given back": async (
    accountId: string,
    id: string,
  ) => {
    await CUTS["after the hold, before the acknowledgement"](accountId, id);
    await h.sql`update generation.generations set step = 'void', lease_until = null,
      next_step_at = ${h.clock.now()} where id = ${id}`;
  },
};

/** A create whose process dies as soon as its row stands. */
async function insertRow(accountId: string, id: string): Promise<void> {
  const now = h.clock.now().getTime();
  await h.client.createVideo(request(accountId, id));
  const { billing } = h;
  const hold = { accountId, mode: Mode.LIVE, generationId: id, attempt: 1 };
  await billing.release({ hold });
  await h.owner`delete from billing.holds where generation_id = ${id}`;
  await h.sql`update generation.generations set step = 'reserve', status = null,
    lease_until = ${new Date(now + 15_000)}, next_step_at = ${new Date(now + 30_000)} where id = ${id}`;
  await h.owner`delete from billing.entries where generation_id = ${id}`;
}

const none = (accountId: string, id: string) =>
  h.client
    .getGeneration({ accountId, mode: Mode.LIVE, kind: Kind.VIDEO, generationId: id })
    .then(() => undefined, reasonOf);

describe.each(Object.entries(CUTS))("a create cut off %s", (_where, cut) => {
  it("is undone within a minute: nothing is visible, nothing is held", async () => {
    const accountId = await h.account(1_000n);
    const id = randomId("vgen");
    await cut(accountId, id);
    h.clock.advance(60_000);
    await h.drain();
    expect(await none(accountId, id)).toBe(ErrorReason.NOT_FOUND);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
    h.clock.advance(180_000);
    expect((await compareHolds(h.deps)).discrepancies).toEqual([]);
  });

  it("is finished by a retry of its key, charged once", async () => {
    const accountId = await h.account(1_000n);
    const id = randomId("vgen");
    await cut(accountId, id);
    h.clock.advance(16_000);
    const { generation } = await h.client.createVideo(request(accountId, id));
    expect(generation?.status).toBe(Status.PENDING);
    expect(await h.balance(accountId)).toEqual([500n, 500n]);
  });
});

it("a cut-off create that is retried after a price change is charged the price of its first submit", async () => {
  const directory = await mkdtemp(join(tmpdir(), "media-catalog-"));
  const path = join(directory, "models.json");
  const text = readFileSync(defaultCatalogPath, "utf8");
  writeFileSync(path, text.replaceAll('"tokens": 100', '"tokens": 150'));
  const dearer = openCatalog(path, h.deps);
  const accountId = await h.account(1_000n);
  const [cutOff, fresh] = [randomId("vgen"), randomId("vgen")];
  await CUTS["after the row, before the hold"](accountId, cutOff);
  h.clock.advance(16_000);
  const cheaper = h.deps.catalog;
  h.deps.catalog = dearer;
  const retried = await h.client.createVideo(request(accountId, cutOff));
  expect(retried.generation?.credits).toBe(500n);
  const later = await h.client.createVideo(request(accountId, fresh)).then(() => "", reasonOf);
  expect(later).toBe(ErrorReason.INSUFFICIENT_TOKENS);
  h.deps.catalog = cheaper;
  await dearer[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

it("a creator that was paused and wakes after its create was undone holds nothing twice", async () => {
  const accountId = await h.account(1_000n);
  let wake: () => void = () => {};
  const paused = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const { reserve } = h.deps.billing;
  let isFirst = true;
  h.deps.billing = {
    ...h.deps.billing,
    reserve: async (...call: Parameters<typeof reserve>) => {
      if (isFirst) {
        isFirst = false;
        await paused;
      }
      return reserve(...call);
    },
  };
  const call = h.client.createVideo(request(accountId));
  await expect
    .poll(
      async () =>
        (await h.sql`select 1 from generation.generations where account_id = ${accountId}`).length,
    )
    .toBe(1);
  h.clock.advance(31_000);
  await h.drain();
  wake();
  const { generation } = await call;
  expect(generation?.status).toBe(Status.PENDING);
  expect(await h.balance(accountId)).toEqual([500n, 500n]);
  const holds = await h.owner`
    select attempt, state from billing.holds where account_id = ${accountId} order by attempt`;
  expect(holds.map(({ attempt, state }) => [attempt, state])).toEqual([
    [1, "released"],
    [2, "held"],
  ]);
});
