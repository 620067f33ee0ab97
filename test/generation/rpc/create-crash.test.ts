/** A create whose process dies or is paused at each of its steps: it is undone or continued, and charged once. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import { defaultCatalogPath, openCatalog } from "../../../services/generation/catalog/catalog.ts";
import { compareHolds } from "../../../services/generation/holds/compare-holds.ts";
import { refusalOf, useHarness, videoRequest } from "../fixture.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const h = useHarness();

const PRICE = 500n;

/** The points at which a create can be cut off; each leaves the database as a crash there would. */
const CUTS = {
  "after the row, before the hold": async (accountId: string, id: string) => {
    await insertRow(accountId, id);
  },
  "after the hold, before the acknowledgement": async (accountId: string, id: string) => {
    await insertRow(accountId, id);
    const hold = { accountId, mode: Mode.LIVE, generationId: id, attempt: 1 };
    await h.billing.reserve({ hold, tokens: PRICE });
  },
  "after the row was voided, before the hold was released": async (
    accountId: string,
    id: string,
  ) => {
    await CUTS["after the hold, before the acknowledgement"](accountId, id);
    await h.sql`update generation.tasks set step = 'void', lease_until = null,
      next_step_at = ${h.clock.now()} where id = ${id}`;
  },
};

/** Leaves the row of a create whose process died before it reserved Tokens. */
async function insertRow(accountId: string, id: string): Promise<void> {
  const { billing, writes } = h.deps;
  const died = () => Promise.reject(new Error("it died"));
  h.deps.billing = { ...billing, reserve: died };
  h.deps.writes = { ...writes, update: died };
  await refusalOf(h.client.createVideo(videoRequest(accountId, id)));
  Object.assign(h.deps, { billing, writes });
  expect((await h.deps.find(accountId, id))?.step).toBe("reserve");
}

const whyNotFound = (accountId: string, generationId: string) =>
  refusalOf(h.client.getGeneration({ accountId, mode: Mode.LIVE, kind: Kind.VIDEO, generationId }));

describe.each(Object.entries(CUTS))("a create cut off %s", (_where, cut) => {
  it("is undone within a minute: nothing is visible, nothing is held", async () => {
    const { accountId } = h;
    const id = randomId("vgen");
    await cut(accountId, id);
    h.clock.advance(60_000);
    await h.drain();
    expect(await whyNotFound(accountId, id)).toBe(ErrorReason.NOT_FOUND);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
    h.clock.advance(180_000);
    expect((await compareHolds(h.deps)).discrepancies).toEqual([]);
  });

  it("is continued by a retry of its key and charged once", async () => {
    const { accountId } = h;
    const id = randomId("vgen");
    await cut(accountId, id);
    h.clock.advance(16_000);
    const { generation } = await h.client.createVideo(videoRequest(accountId, id));
    expect(generation?.status).toBe(Status.PENDING);
    expect(await h.balance(accountId)).toEqual([500n, 500n]);
  });
});

describe("a create", () => {
  it("that was cut off and is retried after a price change is charged the price of its first submit", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "models.json");
    const text = readFileSync(defaultCatalogPath, "utf8");
    writeFileSync(path, text.replaceAll('"tokens": 100', '"tokens": 150'));
    await using dearer = openCatalog(path, h.deps);
    const { accountId } = h;
    const [cutOff, fresh] = [randomId("vgen"), randomId("vgen")];
    await CUTS["after the row, before the hold"](accountId, cutOff);
    h.clock.advance(16_000);
    h.deps.catalog = dearer;
    const retried = await h.client.createVideo(videoRequest(accountId, cutOff));
    expect(retried.generation?.credits).toBe(500n);
    const later = await refusalOf(h.client.createVideo(videoRequest(accountId, fresh)));
    expect(later).toBe(ErrorReason.INSUFFICIENT_TOKENS);
  });

  it("that was paused and wakes after it was undone holds nothing twice", async () => {
    const { accountId } = h;
    const paused = Promise.withResolvers<void>();
    const { billing } = h.deps;
    let reserves = 0;
    h.deps.billing = {
      ...billing,
      reserve: async (...args) => {
        reserves += 1;
        if (reserves === 1) await paused.promise;
        return billing.reserve(...args);
      },
    };
    const call = h.client.createVideo(videoRequest(accountId));
    await expect.poll(() => reserves).toBe(1);
    h.clock.advance(31_000);
    await h.drain();
    paused.resolve();
    const { generation } = await call;
    expect(generation?.status).toBe(Status.PENDING);
    expect(await h.balance(accountId)).toEqual([500n, 500n]);
    const holds = await h.owner`
      select attempt, state from billing.holds where account_id = ${accountId} order by attempt`;
    expect(holds.map(({ attempt, state }) => [attempt, state])).toEqual([
      [1, "refused"],
      [2, "held"],
    ]);
  });
});
