/** Files that generations use: they stay as long as one does, and go with the last. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomId } from "#runtime/id.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import { lockFile, useFilesIfKept } from "../../../services/delivery/store/files.ts";
import { waitingSessions } from "../../support/waiting-sessions.ts";
import { racing } from "../racing.ts";
import { refusalOf } from "../test-deps.ts";
import { HOUR_MS, filesFixture } from "./files-fixture.ts";

const setUp = filesFixture();
const beginsUse = (accountId: string, fileId: string) => (tx: Transaction) =>
  useFilesIfKept(
    tx,
    { accountId, fileIds: [fileId] },
    { generationId: randomId("vgen"), attempt: 1, keepMs: null },
  );

describe("that a generation uses", () => {
  it("stays, also where its account keeps what it stores for a day only", async () => {
    const { rpc, owner, send, use, after, isStored } = setUp();
    await rpc.setRetention({ accountId: owner.accountId, days: 1 });
    const file = await send();
    await after(23 * HOUR_MS);
    await use(file.url);
    await after(2 * HOUR_MS);
    expect(isStored(file)).toBe(true);
    expect((await rpc.fetchInput({ url: file.url })).contentType).toBe("image/png");
  });

  it.each([Mode.LIVE, Mode.TEST])(
    "stays when all that is older is deleted, and unused ones go (mode %i)",
    async (mode) => {
      const { rpc, owner, send, use, after, isStored, clock } = setUp(mode);
      const { accountId } = owner;
      const [unused, used, given] = [await send(), await send(), await send()];
      await use(used.url);
      await rpc.releaseFiles({ accountId, generationId: await use(given.url), attempt: 1 });
      await after(1);
      const storedBefore = timestampFromDate(clock.now());
      expect((await rpc.deleteAssets({ accountId, storedBefore })).deleted?.outputs).toBe(2n);
      await after(0);
      expect([unused, used, given].map(isStored)).toEqual([false, true, false]);
    },
  );

  it("stays, also where the use began before the deletion and ends after it began", async () => {
    const { sql, rpc, owner, send, after, isStored, clock } = setUp();
    const { accountId } = owner;
    const file = await send();
    await after(1);
    const storedBefore = timestampFromDate(clock.now());
    const { deleted } = await racing(sql, beginsUse(accountId, file.id), () =>
      rpc.deleteAssets({ accountId, storedBefore }),
    );
    expect(deleted?.outputs).toBe(0n);
    await after(0);
    expect(isStored(file)).toBe(true);
  });

  it("stays, also where its account deletes it while the use begins", async () => {
    const { sql, rpc, owner, send, after, isStored } = setUp();
    const file = await send();
    const refused = await racing(sql, beginsUse(owner.accountId, file.id), () =>
      refusalOf(rpc.deleteFile({ ...owner, fileId: file.id })),
    );
    expect(refused).toMatchObject({ reason: ErrorReason.FILE_IN_USE });
    await after(0);
    expect(isStored(file)).toBe(true);
  });
});

it("cannot be used by a generation whose create waits for its deletion", async () => {
  const { sql, rpc, owner, send, use, after, isStored } = setUp();
  const file = await send();
  const creating = await sql.begin(async (tx) => {
    await lockFile(tx, { ...owner, id: file.id });
    const deleting = rpc.deleteFile({ ...owner, fileId: file.id });
    await expect.poll(() => waitingSessions(sql)).toBe(1);
    const using = refusalOf(use(file.url));
    await expect.poll(() => waitingSessions(sql)).toBe(2);
    return { deleting, using };
  });
  await creating.deleting;
  expect(await creating.using).toMatchObject({ reason: ErrorReason.FILE_NOT_FOUND });
  await after(0);
  expect(isStored(file)).toBe(false);
});

it("goes with the last two generations that use it, where both are deleted at the same time", async () => {
  const { sql, rpc, owner, send, use, after, isStored } = setUp();
  const { accountId } = owner;
  const file = await send();
  const [first, second] = [await use(file.url), await use(file.url)];
  const deletesFirst = async (tx: Transaction) => {
    await lockFile(tx, { accountId, id: file.id });
    await tx`
      delete from delivery.file_uses where account_id = ${accountId} and generation_id = ${first}`;
  };
  await racing(sql, deletesFirst, () => rpc.deleteGeneration({ accountId, generationId: second }));
  await after(0);
  expect(isStored(file)).toBe(false);
});

it("goes with the last generation that uses it, also when its content is no longer kept", async () => {
  const { rpc, owner, send, use, after, isStored } = setUp();
  const [shared, single] = [await send(), await send()];
  const [first, second] = [await use(shared.url), await use(shared.url)];
  await use(single.url, first);
  expect(await refusalOf(rpc.deleteFile({ ...owner, fileId: shared.id }))).toMatchObject({
    reason: ErrorReason.FILE_IN_USE,
  });
  await rpc.deleteGeneration({ accountId: owner.accountId, generationId: first });
  await after(0);
  expect([isStored(shared), isStored(single)]).toEqual([true, false]);
  await rpc.deleteWebhooks({ accountId: owner.accountId, generationIds: [second] });
  await after(0);
  expect(isStored(shared)).toBe(false);
});

it("expires as unused when the create is undone, but not when a later attempt has it", async () => {
  const { rpc, owner, send, use, after, isStored } = setUp();
  const [undone, retried] = [await send(), await send()];
  const { accountId } = owner;
  const [one, other] = [await use(undone.url), await use(retried.url)];
  await use(retried.url, other, 2);
  for (const generationId of [one, other]) {
    await rpc.releaseFiles({ accountId, generationId, attempt: 1 });
  }
  await after(24 * HOUR_MS);
  expect([isStored(undone), isStored(retried)]).toEqual([false, true]);
});
