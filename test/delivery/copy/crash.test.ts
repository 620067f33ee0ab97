/** kill -9 of a process that copies an output: a repeated call stores it once, complete, under the same URL. */
import { beforeEach, describe, expect, it } from "vitest";
import { assetTokenOf } from "../../../services/delivery/domain/file.ts";
import { forTests } from "../../support/for-tests.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { copierFixture, sha256, type Request } from "./copier-fixture.ts";

const fixture = forTests(copierFixture);
beforeEach(() => fixture.reset());

describe("a process that is killed while it copies", () => {
  it("leaves files that maintenance removes, and the next call completes the copy under the same URL", async () => {
    const request = fixture.request();
    const { token, left } = await killIn("mp4", 1_000_000, request);
    expect(left).toEqual({ downloads: 1, uploads: 1, keys: [] });
    const [output] = (await fixture.other.storeOutput(request)).output;
    expect(assetTokenOf(output?.key ?? "")).toBe(token);
    const keys = [output?.thumbnailKey, output?.key];
    expect((await fixture.files()).keys).toEqual(keys);
    await fixture.maintenanceInTwoDays();
    expect(await fixture.files()).toEqual({ downloads: 0, uploads: 0, keys });
    await expectStored(request);
  });

  it("leaves objects that maintenance deletes after a day without another call, and the copy can still be made", async () => {
    const request = fixture.request();
    const { token, left } = await killIn("mp4", Infinity, request);
    expect(left).toEqual({ downloads: 1, uploads: 0, keys: [`${token}.mp4`] });
    await fixture.maintenanceInTwoDays();
    expect(await fixture.files()).toEqual({ downloads: 0, uploads: 0, keys: [] });
    await fixture.other.storeOutput(request);
    await expectStored(request);
  });

  it("at the thumbnail has recorded the video: that stays as it is, without one", async () => {
    const request = fixture.request();
    await killIn("jpg", Infinity, request);
    const key = (await fixture.rowOf(request))?.key ?? "";
    const [output] = (await fixture.other.storeOutput(request)).output;
    expect(output).toMatchObject({ key, bytes: BigInt(fixture.stored.byteLength) });
    expect(output?.thumbnailKey).toBeUndefined();
    await fixture.maintenanceInTwoDays();
    expect(await fixture.files()).toEqual({ downloads: 0, uploads: 0, keys: [key] });
  });

  it("may have sent its last update to the database: that and the update of the next call have one effect", async () => {
    const request = fixture.request();
    await using copier = await fixture.startCopier();
    fixture.upstream.stall();
    const cutOff = settled(copier.storeOutput(request));
    await expect.poll(fixture.upstream.stalls).toBe(1);
    const next = fixture.other.storeOutput(request);
    // Both have reserved the output now, and will write its row when they have stored it.
    await expect.poll(fixture.upstream.stalls).toBe(2);
    const row = await holdRow(request);
    fixture.upstream.sendRest(1);
    await expect.poll(row.waiting).toBe(1);
    await copier.kill();
    await row.release();
    expect(await cutOff).toBe("cut off");
    const token = (await fixture.rowOf(request))?.token;
    fixture.upstream.sendRest();
    expect((await next).output).toMatchObject([{ key: `${token}.mp4` }]);
    await expectStored(request);
  });
});

const settled = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "succeeded",
    () => "cut off",
  );

/** Kills a process after so many bytes of the object with this suffix; returns the row's token and what is left. */
async function killIn(STOP_IN: string, bytes: number, request: Request) {
  await using copier = await fixture.startCopier({ STOP_IN, STOP_AT_BYTES: String(bytes) });
  const cutOff = settled(copier.storeOutput(request));
  await copier.says("stopped");
  await copier.kill();
  expect(await cutOff).toBe("cut off");
  const row = await fixture.rowOf(request);
  expect(row?.token).toBeDefined();
  return { token: row?.token, left: await fixture.files() };
}

/** Expects that the row, the reply to a repeated call, storage and the URL agree on one complete output. */
async function expectStored(request: Request): Promise<void> {
  const { stored, other } = fixture;
  const row = await fixture.rowOf(request);
  const key = `${row?.token}.mp4`;
  const thumbnailKey = `${row?.token}.jpg`;
  const bytes = BigInt(stored.byteLength);
  expect(row).toMatchObject({ key, bytes, sha256: sha256(stored) });
  const { output } = await other.storeOutput(request);
  expect(output).toMatchObject([{ key, thumbnailKey, bytes }]);
  expect((await fixture.files()).keys).toEqual([thumbnailKey, key]);
  const response = await fetch(`${other.assetsUrl}/${key}`);
  expect(sha256(await response.bytes())).toBe(sha256(stored));
  const thumbnail = await fetch(`${other.assetsUrl}/${thumbnailKey}`);
  expect([...(await thumbnail.bytes()).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
}

/** Locks an output's row. */
async function holdRow({ accountId, generationId }: Request) {
  const { sql } = fixture;
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    await tx`
      select 1 from delivery.assets
      where account_id = ${accountId} and owner_id = ${generationId} for update`;
    held.resolve();
    await released.promise;
  });
  await Promise.race([held.promise, holding]);
  return {
    /** How many statements wait for the lock. */
    waiting: () => waitingSessions(sql),
    release: async (): Promise<void> => {
      released.resolve();
      await holding;
    },
  };
}
