/** What counting an account's unused files reads, once Postgres knows the tables. */
import { beforeAll, describe, expect, it } from "vitest";
import { addMs } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { countUnusedFiles } from "../../../services/delivery/store/files.ts";
import { connectedDatabase } from "../../support/database.ts";
import { rowsRead } from "../../support/rows-read.ts";
import { forTests } from "../../support/for-tests.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const MINUTE_MS = 60_000;
const TABLES = ["delivery.assets", "delivery.files", "delivery.file_uses"];
const FILES = 5_000;
const UNUSED = 20;
const accountId = randomId("acct");
const database = forTests(() => connectedDatabase("delivery", 1));

/** All made within the last minutes; the oldest are not used. */
beforeAll(async () => {
  const { owner } = database;
  await owner`
    insert into delivery.files (account_id, id, sha256, created_at)
    select ${accountId}, 'file_' || lpad(n::text, 26, '0'), md5(n::text),
      ${addMs(NOW, -10 * MINUTE_MS)}::timestamptz + n * interval '0.1 s'
    from generate_series(1, ${FILES}::int) n`;
  await owner`
    insert into delivery.assets (account_id, owner_id, owner_kind, is_used, position, mode, token, key, content_type,
      width, height, bytes, sha256, reserved_at, stored_at, expires_at)
    select account_id, id, 'file', is_used, 0, 'live', id, id || '.png', 'image/png', 1, 1, 1, sha256, created_at,
      created_at, case when not is_used then created_at + interval '24 h' end
    from delivery.files cross join lateral (select right(id, 6)::int > ${UNUSED}::int as is_used) one`;
  await owner`
    insert into delivery.file_uses (account_id, generation_id, file_id, attempt)
    select account_id, 'vgen_' || right(id, 26), id, 1 from delivery.files where right(id, 6)::int > ${UNUSED}::int`;
  await owner`vacuum analyze delivery.files, delivery.assets, delivery.file_uses`;
});

/** Rows read of all tables. */
async function read(limit: number) {
  const found = new Set<number>();
  let rows = 0;
  for (const table of TABLES) {
    rows += await rowsRead(database.sql, table, async (tx) => {
      found.add(await countUnusedFiles(tx, { accountId, mode: "live" }, { at: NOW, limit }));
    });
  }
  return { found: [...found], rows };
}

describe("the count of an account's unused files", () => {
  it("reads none that is used", async () => {
    const { found, rows } = await read(500);
    expect(found).toEqual([UNUSED]);
    expect(rows).toBeLessThanOrEqual(2 * UNUSED);
  });

  it("ends at its limit", async () => {
    const { found, rows } = await read(5);
    expect(found).toEqual([5]);
    expect(rows).toBeLessThanOrEqual(2 * 5);
  });
});
