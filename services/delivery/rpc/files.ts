/** The RPCs on files of clients. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { notFound, refusal } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import type { GetFileRequest, InputUrl } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#vocabulary/names.ts";
import { assetKeyOf } from "#vocabulary/public-values.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { USED_MS, assetTokenOf, type Owner } from "../domain/file.ts";
import {
  findFile,
  listFiles as listRows,
  useFilesIfKept,
  releaseFiles as release,
  lockFile,
} from "../store/files.ts";
import { findStorage } from "../store/account-storage.ts";
import { requireStorage } from "./assets.ts";
import { findByTokens } from "../store/assets.ts";
import { markOwnedForDeletion } from "../store/asset-deletions.ts";

/** `field` names what the client sent. */
function unknownFile(field: string) {
  const message =
    "Your account has no such file in this mode, or it was deleted. Send the picture again and use its new URL.";
  return { reason: ErrorReason.FILE_NOT_FOUND, field, message };
}

async function storedFile(
  { sql }: Deps,
  { accountId, mode, fileId }: Pick<GetFileRequest, "accountId" | "mode" | "fileId">,
) {
  const id = { accountId, mode: modeName(mode), id: fileId };
  const row = await findFile(sql, id);
  if (!row?.key) throw refusal(unknownFile("file_id"));
  return row;
}

export function fileDeleted(): Error {
  return refusal({ reason: ErrorReason.FILE_DELETED, message: "The file was deleted." });
}

export const fileRpcs = (deps: Deps) =>
  ({
    async getFile(named) {
      const row = await storedFile(deps, named);
      if (row.isDeleted) throw fileDeleted();
      return { file: fieldsOf(row) };
    },
    async listFiles({ accountId, mode, limit, after: id }) {
      const owner = { accountId, mode: modeName(mode) };
      const after = id === undefined ? undefined : await findFile(deps.sql, { ...owner, id });
      if (id !== undefined && !after?.key) {
        throw notFound("after", "after must be the id of a file of this account and mode");
      }
      const rows = await listRows(deps.sql, owner, { after, limit: limit + 1 });
      return { files: rows.slice(0, limit).map(fieldsOf), hasMore: rows.length > limit };
    },
    async useFiles({ accountId, mode, generationId, attempt, urls, checkOnly }) {
      const owner = { accountId, mode: modeName(mode) };
      const named = await filesAt(deps, owner, urls);
      const fileIds = named.flatMap(({ id }) => id ?? []);
      if (fileIds.length > 0) requireStorage(await findStorage(deps.sql, owner));
      // Another account's file is as one that does not exist.
      const requireAll = (kept: ReadonlySet<string>) => {
        const [first, ...more] = named
          .filter(({ id }) => id === undefined || !kept.has(id))
          .map(({ field }) => unknownFile(field));
        if (first) throw refusal(first, ...more);
      };
      const use = { generationId, attempt, keepMs: USED_MS[owner.mode] };
      if (checkOnly) requireAll(new Set(fileIds));
      else {
        await deps.sql.begin(async (tx) =>
          requireAll(await useFilesIfKept(tx, { accountId, fileIds }, use)),
        );
      }
      return {};
    },
    async releaseFiles(undone) {
      await release(deps.sql, undone, null);
      return {};
    },
    async deleteFile({ accountId, mode, fileId }) {
      await storedFile(deps, { accountId, mode, fileId });
      await deps.sql.begin(async (tx) => {
        if (await lockFile(tx, { accountId, id: fileId })) {
          throw refusal({
            reason: ErrorReason.FILE_IN_USE,
            message:
              "A generation uses this file. Delete the generation, and the file is deleted with it.",
          });
        }
        const at = deps.clock.now();
        await markOwnedForDeletion(tx, { accountId, ownerId: fileId, at });
      });
      return {};
    },
    async fetchInput({ url }, { signal }) {
      const result = await deps.fetchPicture(url, signal);
      if (result.outcome === "ok") {
        return { content: result.content, contentType: result.contentType };
      }
      deps.log.warn({ outcome: result.outcome, reason: result.reason }, "picture not fetched");
      throw refusal({
        reason:
          result.outcome === "retryable" ? ErrorReason.UNAVAILABLE : ErrorReason.INVALID_FIELD,
        field: "url",
        // The message is the same for all causes, so that clients cannot probe addresses with it.
        message: "no readable picture of at most 20 MB could be fetched from this URL",
      });
    },
  }) satisfies Partial<Rpcs>;

/** The files that `urls` name, with no id where the account and mode lack it. Outputs and foreign URLs name none. */
async function filesAt(
  { sql, assetBaseUrl }: Deps,
  owner: Owner,
  urls: readonly InputUrl[],
): Promise<{ field: string; id: string | undefined }[]> {
  const named = urls.flatMap(({ field, url }) => {
    const token = assetTokenOf(assetKeyOf(url, assetBaseUrl) ?? "");
    return token === undefined ? [] : [{ field, token }];
  });
  const tokens = named.map(({ token }) => token);
  const rows = new Map((await findByTokens(sql, tokens)).map((row) => [row.token, row]));
  return named.flatMap(({ field, token }) => {
    const row = rows.get(token);
    if (row?.ownerKind === "generation") return [];
    const isOwn = row?.accountId === owner.accountId && row.mode === owner.mode;
    return [{ field, id: isOwn && row.isStored && !row.isDeleted ? row.ownerId : undefined }];
  });
}
