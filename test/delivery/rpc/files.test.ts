/** Files that clients send: what is stored, who may read it, and how long it is kept. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { modeName } from "#vocabulary/names.ts";
import {
  countUnusedFiles,
  listFiles,
  lockFile,
  useFilesIfKept,
} from "../../../services/delivery/store/files.ts";
import { makeImage } from "../../support/make-media.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { refusalOf } from "../test-deps.ts";
import { BASE, HOUR_MS, PNG, filesFixture } from "./files-fixture.ts";
import type { Transaction } from "#runtime/postgres/connect.ts";
import { racing, waitingSessions } from "../../support/waiting-sessions.ts";

const { CONTENT_DIFFERS, FILE_DELETED, FILE_IN_USE, FILE_NOT_FOUND } = ErrorReason;
const { INVALID_FIELD, NOT_FOUND, TOO_MANY_FILES, UNREADABLE_FILE } = ErrorReason;
const setUp = filesFixture();

it("is known by its bytes, and stored once for each id", async () => {
  const { create, get, send, store } = setUp();
  const fileId = randomId("file");
  const created = await Promise.all([create(fileId), create(fileId), create(fileId)]);
  expect(created.filter(({ replayed }) => replayed)).toHaveLength(2);
  const file = await send(fileId);
  expect(file).toMatchObject({ id: fileId, contentType: "image/png", width: 64, height: 48 });
  expect(Number(file.bytes)).toBe(PNG.byteLength);
  expect([...store.objects.values()]).toEqual([PNG]);
  expect((await get(fileId)).file).toMatchObject({ id: fileId, key: file.key });
  const other = await refusalOf(create(fileId, makeImage("jpeg")));
  expect(other).toMatchObject({ reason: CONTENT_DIFFERS });
});

it.each([
  ["text", Buffer.from("<svg/>")],
  ["half a picture", PNG.subarray(0, PNG.length / 2)],
  ["a picture of too many pixels", makeImage("png", 9_000, 8_000)],
])("is refused as %s, and nothing of it is stored", async (_what, content) => {
  const { send, store, get } = setUp();
  const fileId = randomId("file");
  const refused = await refusalOf(send(fileId, content));
  expect(refused).toEqual({ reason: UNREADABLE_FILE, field: "file" });
  expect(store.objects.size).toBe(0);
  expect(await refusalOf(get(fileId))).toMatchObject({ reason: FILE_NOT_FOUND });
});

it("is deleted after 24 hours, unless a generation uses it", async () => {
  const { create, get, send, use, after, isStored } = setUp();
  const [unused, used] = [await send(), await send()];
  const check = (url: string) => use(url, undefined, 1, { checkOnly: true });
  await check(unused.url);
  await use(used.url);
  await after(24 * HOUR_MS - 1);
  expect([isStored(unused), isStored(used)]).toEqual([true, true]);
  await after(1);
  expect([isStored(unused), isStored(used)]).toEqual([false, true]);
  for (const call of [get, create, (id: string) => create(id, makeImage("jpeg"))])
    expect(await refusalOf(call(unused.id))).toMatchObject({ reason: FILE_DELETED });
  for (const call of [use, check])
    expect(await refusalOf(call(unused.url))).toMatchObject({ reason: FILE_NOT_FOUND });
  expect((await get(used.id)).file?.expiresAt).toBeUndefined();
});

it("is kept for 24 hours from when it is sent again, where it could not be stored before", async () => {
  const { send, use, release, after, isStored, store, clock } = setUp();
  const fileId = randomId("file");
  const put = store.put.bind(store);
  store.put = () => Promise.reject(new Error("storage is gone"));
  await expect(send(fileId)).rejects.toThrow("internal error");
  store.put = put;
  await after(25 * HOUR_MS);
  const file = await send(fileId);
  expect(file.expiresAt).toEqual(timestampFromDate(addMs(clock.now(), 24 * HOUR_MS)));
  await after(HOUR_MS);
  await release(await use(file.url));
  await after(23 * HOUR_MS - 1);
  expect(isStored(file)).toBe(true);
  await after(1);
  expect(isStored(file)).toBe(false);
});

it("is kept for 7 days in test mode", async () => {
  const { get, send, use, release, after, isStored } = setUp(Mode.TEST);
  const file = await send();
  const generationId = await use(file.url);
  await after(7 * 24 * HOUR_MS - 1);
  expect(isStored(file)).toBe(true);
  await after(1);
  expect(isStored(file)).toBe(false);
  await release(generationId);
  expect(await refusalOf(get(file.id))).toMatchObject({ reason: FILE_DELETED });
});

it.each([
  [Mode.LIVE, Mode.TEST],
  [Mode.TEST, Mode.LIVE],
])("is refused while its account has 500 unused files in its mode (%i)", async (mode, other) => {
  const { sql, rpc, accountId, send, use, after, clock } = setUp(mode);
  const at = clock.now();
  await sql`
    with reserved as (
      insert into delivery.assets (account_id, owner_id, owner_kind, position, mode, token, reserved_at, expires_at)
      select ${accountId}, 'file_' || lpad(n::text, 26, '0'), 'file', 0, ${modeName(mode)}, ${accountId} || n, ${at},
        ${addMs(at, 24 * HOUR_MS)}
      from generate_series(1, 499) n
      returning owner_id, token
    )
    insert into delivery.files (account_id, id, sha256, created_at)
    select ${accountId}, owner_id, md5(token), ${at} from reserved`;
  const last = await send();
  const refused = { reason: TOO_MANY_FILES };
  expect(await refusalOf(send())).toMatchObject(refused);
  expect(await send(last.id)).toMatchObject({ id: last.id });
  await rpc.createFile({ accountId, mode: other, fileId: randomId("file"), content: PNG });
  await use(last.url);
  await send();
  expect(await refusalOf(send())).toMatchObject(refused);
  await after(24 * HOUR_MS);
  await send();
});

it("is unknown to another account and to the other mode, as one that does not exist", async () => {
  const { rpc, owner, send } = setUp();
  const { id: fileId, url } = await send();
  const absent = `${BASE}/${"0".repeat(26)}.png`;
  const use = { generationId: randomId("vgen"), attempt: 1 };
  for (const stranger of [
    { ...owner, accountId: randomId("acct") },
    { ...owner, mode: Mode.TEST },
  ]) {
    const refused = { reason: FILE_NOT_FOUND };
    expect(await refusalOf(rpc.getFile({ ...stranger, fileId }))).toMatchObject(refused);
    expect(await refusalOf(rpc.deleteFile({ ...stranger, fileId }))).toMatchObject(refused);
    for (const named of [url, absent]) {
      const urls = [{ field: "image_urls[0]", url: named }];
      expect(await refusalOf(rpc.useFiles({ ...stranger, ...use, urls }))).toEqual({
        ...refused,
        field: "image_urls[0]",
      });
    }
  }
  const elsewhere = [{ field: "image_url", url: `https://other.example/${"0".repeat(26)}.png` }];
  await rpc.useFiles({ ...owner, ...use, urls: elsewhere });
});

it("is fetched for upstreams from storage, until it is deleted", async () => {
  const { rpc, send, remove, after } = setUp();
  const { id, url } = await send();
  const { content, contentType } = await rpc.fetchInput({ url });
  expect([Buffer.from(content).equals(PNG), contentType]).toEqual([true, "image/png"]);
  const refused = { reason: INVALID_FIELD, field: "url" };
  for (let i = 0; i < 2; i++) {
    await remove(id);
    expect(await refusalOf(rpc.fetchInput({ url }))).toEqual(refused);
    await after(0);
  }
  expect(await refusalOf(rpc.fetchInput({ url }))).toEqual(refused);
});

it("stays deleted where a call with its id stores it once more", async () => {
  const { create, send, remove, after, store } = setUp();
  const fileId = randomId("file");
  const put = store.put.bind(store);
  store.put = async (...object) => {
    store.put = put;
    await send(fileId);
    await remove(fileId);
    await after(0);
    await put(...object);
  };
  expect(await refusalOf(create(fileId))).toMatchObject({ reason: FILE_DELETED });
  expect(store.objects.size).toBe(0);
});

it("is listed newest first until it is deleted, by pages that a deletion does not disturb", async () => {
  const { rpc, owner, send, remove, use, clock } = setUp();
  const sent = [];
  for (let i = 0; i < 5; i += 1) {
    if (i % 2 === 0) clock.advance(1);
    sent.push(await send());
  }
  await use(sent[0]?.url ?? "");
  const page = async (after?: string) => {
    const { files, hasMore } = await rpc.listFiles({ ...owner, limit: 2, ...(after && { after }) });
    return { ids: files.map(({ id }) => id), hasMore };
  };
  const first = await page();
  for (const id of first.ids) await remove(id);
  const second = await page(first.ids.at(-1));
  const third = await page(second.ids.at(-1));
  const listed = [first, second, third];
  expect(listed.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
  // Those of one moment are in the order of their ids.
  const [a, b, c] = [sent.slice(4), sent.slice(2, 4), sent.slice(0, 2)].map((moment) =>
    moment.map(({ id }) => id).toSorted((one, other) => (one < other ? 1 : -1)),
  );
  expect(listed.flatMap(({ ids }) => ids)).toEqual([a, b, c].flat());
  const { files } = await rpc.listFiles({ ...owner, limit: 100 });
  expect(files.map(({ id }) => id)).toEqual([...second.ids, ...third.ids]);
  expect(files).toMatchObject([{ contentType: "image/png", width: 64 }, {}, {}]);
  const stranger = { ...owner, mode: Mode.TEST };
  expect((await rpc.listFiles({ ...stranger, limit: 100 })).files).toEqual([]);
  for (const wrong of [
    { ...stranger, after: files[0]?.id ?? "" },
    { ...owner, after: "x" },
  ]) {
    const refused = { reason: NOT_FOUND, field: "after" };
    expect(await refusalOf(rpc.listFiles({ ...wrong, limit: 2 }))).toEqual(refused);
  }
});

it("is listed without reading outputs and what was deleted", async () => {
  const { sql, accountId, send, clock } = setUp();
  const kept = await send();
  clock.advance(1);
  await sql`
    insert into delivery.assets (account_id, owner_id, owner_kind, position, mode, token, key, content_type, width,
      height, bytes, sha256, reserved_at, stored_at, delete_at)
    select ${accountId}, kind || n, kind, 0, 'live', ${accountId} || kind || n, 'key', 'image/png', 1, 1, 1, 'hash', at, at,
      case kind when 'file' then at end
    from generate_series(1, 500) n, (values ('file'), ('generation')) kinds (kind), (values (${clock.now()}::timestamptz)) times (at)`;
  const read = await rowsRead(sql, "delivery.assets", async (tx) => {
    const listed = await listFiles(tx, { accountId, mode: "live" }, { after: undefined, limit: 3 });
    expect(listed).toMatchObject([{ id: kept.id }]);
  });
  expect(read).toBeLessThanOrEqual(2);
});

it("that no generation uses is counted without reading the used ones, up to a limit", async () => {
  const { sql, analyze, accountId, clock } = setUp();
  const at = clock.now();
  await sql`
    insert into delivery.assets (account_id, owner_id, owner_kind, is_used, position, mode, token, reserved_at, expires_at)
    select ${accountId}, 'file' || n, 'file', n > 20, 0, 'live', ${accountId} || n, ${at}, ${addMs(at, HOUR_MS)}
    from generate_series(1, 500) n`;
  await analyze();
  for (const [limit, count] of [
    [500, 20],
    [5, 5],
  ] as const) {
    const read = await rowsRead(sql, "delivery.assets", async (tx) => {
      expect(await countUnusedFiles(tx, { accountId, mode: "live" }, { at, limit })).toBe(count);
    });
    expect(read).toBeLessThanOrEqual(2 * count);
  }
});

const beginsUse = (accountId: string, fileId: string) => (tx: Transaction) => {
  const use = { generationId: randomId("vgen"), attempt: 1, keepMs: null };
  return useFilesIfKept(tx, { accountId, fileIds: [fileId] }, use);
};

describe("that a generation uses", () => {
  it("stays, also where its account keeps what it stores for a day only", async () => {
    const { rpc, accountId, send, use, after, isStored } = setUp();
    await rpc.setRetention({ accountId, days: 1 });
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
      const { rpc, accountId, send, use, release, after, isStored, clock } = setUp(mode);
      const [unused, used, given] = [await send(), await send(), await send()];
      await use(used.url);
      await release(await use(given.url));
      await after(1);
      const storedBefore = timestampFromDate(clock.now());
      expect((await rpc.deleteAssets({ accountId, storedBefore })).deleted?.outputs).toBe(2n);
      await after(0);
      expect([unused, used, given].map(isStored)).toEqual([false, true, false]);
    },
  );

  it("stays, also where the use began before the deletion and ends after it began", async () => {
    const { sql, rpc, accountId, send, after, isStored, clock } = setUp();
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
    const { sql, accountId, send, remove, after, isStored } = setUp();
    const file = await send();
    const begins = beginsUse(accountId, file.id);
    const refused = await racing(sql, begins, () => refusalOf(remove(file.id)));
    expect(refused).toMatchObject({ reason: FILE_IN_USE });
    await after(0);
    expect(isStored(file)).toBe(true);
  });
});

it("cannot be used by a generation whose create waits for its deletion", async () => {
  const { sql, accountId, send, remove, use, after, isStored } = setUp();
  const file = await send();
  const creating = await sql.begin(async (tx) => {
    await lockFile(tx, { accountId, id: file.id });
    const deleting = remove(file.id);
    await expect.poll(() => waitingSessions(sql)).toBe(1);
    const using = refusalOf(use(file.url));
    await expect.poll(() => waitingSessions(sql)).toBe(2);
    return { deleting, using };
  });
  await creating.deleting;
  expect(await creating.using).toMatchObject({ reason: FILE_NOT_FOUND });
  await after(0);
  expect(isStored(file)).toBe(false);
});

it("goes with the last two generations that use it, where both are deleted at the same time", async () => {
  const { sql, accountId, send, use, deleteGeneration, after, isStored } = setUp();
  const file = await send();
  const [first, second] = [await use(file.url), await use(file.url)];
  const deletesFirst = async (tx: Transaction) => {
    await lockFile(tx, { accountId, id: file.id });
    await tx`
      delete from delivery.file_uses where account_id = ${accountId} and generation_id = ${first}`;
  };
  await racing(sql, deletesFirst, () => deleteGeneration(second));
  await after(0);
  expect(isStored(file)).toBe(false);
});

it("goes with the last generation that uses it, also when its content is no longer kept", async () => {
  const { rpc, accountId, send, remove, use, deleteGeneration, after, isStored } = setUp();
  const [shared, single] = [await send(), await send()];
  const [first, second] = [await use(shared.url), await use(shared.url)];
  await use(single.url, first);
  expect(await refusalOf(remove(shared.id))).toMatchObject({ reason: FILE_IN_USE });
  await deleteGeneration(first);
  await after(0);
  expect([isStored(shared), isStored(single)]).toEqual([true, false]);
  await rpc.deleteWebhooks({ accountId, generationIds: [second] });
  await after(0);
  expect(isStored(shared)).toBe(false);
});

it("expires as unused when the create is undone, but not when a later attempt has it", async () => {
  const { send, use, release, after, isStored } = setUp();
  const [undone, retried] = [await send(), await send()];
  const [one, other] = [await use(undone.url), await use(retried.url)];
  // The first attempt may wake after the second.
  for (const attempt of [2, 1]) await use(retried.url, other, attempt);
  for (const generationId of [one, other]) await release(generationId);
  await after(24 * HOUR_MS);
  expect([isStored(undone), isStored(retried)]).toEqual([false, true]);
});
