/** The guards of clients' files and of what accounts store, and the tests that need them. */
import type { Mutation } from "./mutation.ts";

const ASSET_DELETIONS = "services/delivery/store/asset-deletions.ts";
const FILES = "services/delivery/store/files.ts";
const USE_FILES = "services/delivery/rpc/files.ts";
const CREATE_FILE = "services/delivery/rpc/create-file.ts";
const DELETE_FILE = "services/delivery/rpc/files.ts";
const STORAGE_LIMIT_TEST = "test/delivery/rpc/storage-limit.test.ts";
const FILES_TEST = "test/delivery/rpc/files.test.ts";

export const storedFiles: readonly Mutation[] = [
  {
    guard: "a client that reads no more of a file is left",
    file: "services/delivery/asset-server/asset-server.ts",
    old: "  server.timeout = options.stalledAfterMs ?? STALLED_AFTER_MS;\n",
    new: "",
    test: "test/delivery/asset-server/asset-server.test.ts",
  },
  {
    guard: "a file that a generation uses is not deleted",
    file: DELETE_FILE,
    old: "if (await isFileUsed(tx, accountId, fileId)) throw inUse();",
    new: "",
    test: FILES_TEST,
  },
  {
    guard: "files that are sent at the same time do not exceed the limit of storage together",
    file: CREATE_FILE,
    old: "requireRoom({ ...limit, usedBytes: usedBytes - BigInt(bytes) }, bytes);",
    new: "void usedBytes;",
    test: STORAGE_LIMIT_TEST,
  },
  {
    guard: "a file that a repeated call has stored is not refused",
    file: CREATE_FILE,
    old: "if ((await findFile(tx, id))?.key) return true;",
    new: "",
    test: STORAGE_LIMIT_TEST,
  },
  {
    guard: "a create uses no files where the limit of storage is reached",
    file: USE_FILES,
    old: "if (ids.length > 0) requireRoom(await findStorage(deps.sql, owner));",
    new: "",
    test: STORAGE_LIMIT_TEST,
  },
  {
    guard: "what is missing of a count is added once",
    file: "services/delivery/maintenance/recount-storage.ts",
    old: "await lockRecounts(tx, account);",
    new: "",
    test: STORAGE_LIMIT_TEST,
  },
  {
    guard: "a generation that ends without success gives its files back",
    file: "services/generation/worker/steps/settle.ts",
    old: "else await releaseHeld(deps, row);",
    new: "else await deps.billing.release({ hold: holdOf(row) });",
    test: "test/generation/rpc/files-given-back.test.ts",
  },
  {
    guard: "a deletion of a file waits for a use that begins at the same time",
    file: DELETE_FILE,
    old: "await lockFile(tx, accountId, fileId);",
    new: "",
    test: FILES_TEST,
  },
  {
    guard: "of two generations that release a file at the same time the later one sees the earlier",
    file: FILES,
    old: "await lockFile(tx, accountId, fileId);",
    new: "",
    test: FILES_TEST,
  },
  {
    guard: "files that generations use do not count as unused",
    file: FILES,
    old: "owner_kind = 'file' and not is_used",
    new: "owner_kind = 'file'",
    test: FILES_TEST,
  },
  {
    guard: "the unused files of an account and mode are limited",
    file: CREATE_FILE,
    old: "if (unused >= MAX_UNUSED_FILES) throw tooMany();",
    new: "",
    test: FILES_TEST,
  },
  {
    guard: "retention leaves a file that a generation uses",
    file: ASSET_DELETIONS,
    old: "stored_at is not null and not is_used",
    new: "stored_at is not null",
    test: FILES_TEST,
  },
  {
    guard: "a file goes with the last generation that uses it, not with the first",
    file: FILES,
    old: "and not exists (select from delivery.file_uses u where u.account_id = ${accountId} and u.file_id = ${fileId})",
    new: "",
    test: FILES_TEST,
  },
  {
    guard: "undoing an attempt to create leaves what a later attempt uses",
    file: FILES,
    old: "sql`and u.attempt <= ${attempt}`",
    new: "sql``",
    test: FILES_TEST,
  },
  {
    guard: "a file is its account's and mode's only",
    file: USE_FILES,
    old: "row.accountId === owner.accountId && row.mode === owner.mode",
    new: "true",
    test: FILES_TEST,
  },
  {
    guard: "an expired file is not used",
    file: FILES,
    old: "\n      and stored_at is not null and delete_at is null\n    returning 1",
    new: "\n    returning 1",
    test: FILES_TEST,
  },
];
