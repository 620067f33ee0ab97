/** The guards of clients' files and of what accounts store, and the tests that need them. */
import { guards, type Mutation } from "./mutation.ts";

const ASSET_DELETIONS = "services/delivery/store/asset-deletions.ts";
const FILES = "services/delivery/store/files.ts";
const USE_FILES = "services/delivery/rpc/files.ts";
const CREATE_FILE = "services/delivery/rpc/create-file.ts";
const DELETE_FILE = "services/delivery/rpc/files.ts";
const STORAGE_LIMIT_TEST = "test/delivery/rpc/storage-limit.test.ts";
const FILES_TEST = "test/delivery/rpc/files.test.ts";
const FILE_USES_TEST = "test/delivery/rpc/file-uses.test.ts";

export const storedFiles: readonly Mutation[] = [
  ...guards(
    "services/delivery/asset-server/asset-server.ts",
    "test/delivery/asset-server/asset-server.test.ts",
    {
      "a client that reads no more of a file is left":
        "server.timeout = options.stalledAfterMs ?? STALLED_AFTER_MS;",
    },
  ),
  ...guards(DELETE_FILE, FILE_USES_TEST, {
    "a file that a generation uses is not deleted":
      "if (await isFileUsed(tx, accountId, fileId)) throw inUse();",
    "a deletion of a file waits for a use that begins at the same time":
      "await lockFile(tx, accountId, fileId);",
  }),
  ...guards(CREATE_FILE, STORAGE_LIMIT_TEST, {
    "files that are sent at the same time do not exceed the limit of storage together": [
      "requireRoom({ ...limit, usedBytes: usedBytes - BigInt(bytes) }, bytes);",
      "void usedBytes;",
    ],
    "a file that a repeated call has stored is not refused":
      "if ((await findFile(tx, id))?.key) return true;",
  }),
  ...guards(USE_FILES, STORAGE_LIMIT_TEST, {
    "a create uses no files where the limit of storage is reached":
      "if (ids.length > 0) requireRoom(await findStorage(deps.sql, owner));",
  }),
  ...guards(
    "services/generation/worker/steps/settle.ts",
    "test/generation/rpc/files-given-back.test.ts",
    {
      "a generation that ends without success gives its files back": [
        "else await releaseHeld(deps, row);",
        "else await deps.billing.release({ hold: holdOf(row) });",
      ],
    },
  ),
  ...guards(FILES, FILE_USES_TEST, {
    "of two generations that release a file at the same time the later one sees the earlier":
      "await lockFile(tx, accountId, fileId);",
    "a file goes with the last generation that uses it, not with the first":
      "and not exists (select from delivery.file_uses u where u.account_id = ${accountId} and u.file_id = ${fileId})",
    "undoing an attempt to create leaves what a later attempt uses": "and u.attempt <= ${attempt}",
  }),
  ...guards(FILES, FILES_TEST, {
    "files that generations use do not count as unused": "and not is_used",
    "an expired file is not used": "and stored_at is not null and delete_at is null",
  }),
  ...guards(CREATE_FILE, FILES_TEST, {
    "the unused files of an account and mode are limited":
      "if (unused >= MAX_UNUSED_FILES) throw tooMany();",
  }),
  ...guards(ASSET_DELETIONS, FILE_USES_TEST, {
    "retention leaves a file that a generation uses": "and not is_used",
  }),
  ...guards(USE_FILES, FILES_TEST, {
    "a file is its account's and mode's only": [
      "row.accountId === owner.accountId && row.mode === owner.mode",
      "true",
    ],
  }),
];
