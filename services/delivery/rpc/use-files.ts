/** UseFiles: keeps the files that a generation needs for as long as the generation. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService, InputUrl } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { assetKeyOf } from "#runtime/asset-url.ts";
import { modeName } from "#runtime/mode.ts";
import type { ModeName } from "#runtime/mode.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { assetTokenOf } from "../domain/asset-key.ts";
import { USED_FILE_MS } from "../domain/file.ts";
import { findFilesByTokens, useFileIfKept } from "../store/files.ts";
import { unknownFile } from "./file-refusals.ts";

/** A file of the account and mode, "unknown", or "elsewhere": an output, or a URL that is not the service's own. */
type Named = { field: string; file: { id: string } | "unknown" | "elsewhere" };

export function useFiles(deps: Deps): ServiceImpl<typeof DeliveryService>["useFiles"] {
  return async ({ accountId, mode, generationId, attempt, urls }) => {
    const owner = { accountId, mode: modeName(mode) };
    const named = await filesAt(deps, owner, urls);
    const ids = named.flatMap(({ file }) => (typeof file === "object" ? [file.id] : []));
    const keepMs = USED_FILE_MS[owner.mode];
    await deps.sql.begin(async (tx) => {
      const gone = new Set<string>();
      // In one order for all, so that no two wait for each other.
      for (const fileId of [...new Set(ids)].toSorted()) {
        const use = { generationId, attempt };
        if (!(await useFileIfKept(tx, { accountId, fileId, keepMs }, use))) gone.add(fileId);
      }
      refuseUnknown(named, gone);
    });
    return {};
  };
}

async function filesAt(
  { sql, assetBaseUrl }: Deps,
  owner: { accountId: string; mode: ModeName },
  urls: readonly InputUrl[],
): Promise<Named[]> {
  const named = urls.map(({ field, url }) => {
    const key = assetKeyOf(url, assetBaseUrl);
    return { field, token: key === undefined ? undefined : assetTokenOf(key) };
  });
  const rows = await findFilesByTokens(
    sql,
    named.flatMap(({ token }) => token ?? []),
  );
  const byToken = new Map(rows.map((row) => [row.token, row]));
  return named.map(({ field, token }): Named => {
    if (token === undefined) return { field, file: "elsewhere" };
    const row = byToken.get(token);
    if (!row) return { field, file: "unknown" };
    if (row.fileId === null) return { field, file: "elsewhere" };
    const isOwn = row.accountId === owner.accountId && row.mode === owner.mode;
    return { field, file: isOwn ? { id: row.fileId } : "unknown" };
  });
}

/** Another account's file is as one that does not exist. */
function refuseUnknown(named: readonly Named[], gone: ReadonlySet<string>): void {
  const [first, ...more] = named
    .filter(({ file }) => file === "unknown" || (typeof file === "object" && gone.has(file.id)))
    .map(({ field }) => unknownFile(field));
  if (first) throw refusal(first, ...more);
}
