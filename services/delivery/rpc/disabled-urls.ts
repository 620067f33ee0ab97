/** The RPCs on disabled URLs. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DisabledReason } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { modeName } from "#vocabulary/names.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps, Rpcs } from "./deps.ts";
import {
  listDisabledUrls as listRows,
  deleteDisabledUrl,
  insertDisabledUrl,
  type DisabledUrlCursor,
} from "../store/disabled-urls.ts";
import { waitForRunningClaims } from "../store/webhook-claims.ts";
import { resumeStoppedDeliveries } from "../store/webhook-deliveries.ts";

const REASON = {
  gone: DisabledReason.GONE,
  failing: DisabledReason.FAILING,
  operator: DisabledReason.OPERATOR,
} as const;

export const urlRpcs = (deps: Deps) =>
  ({
    async listDisabledUrls({ accountId, mode, limit, after }) {
      const page = {
        after: after === undefined ? undefined : parseCursor(after),
        limit: limit + 1,
      };
      const rows = await listRows(deps.sql, { accountId, mode: modeName(mode) }, page);
      const pageRows = rows.slice(0, limit);
      const last = rows.length > limit ? pageRows.at(-1) : undefined;
      return {
        urls: pageRows.map((row) => ({
          url: row.url,
          reason: REASON[row.reason],
          disabledAt: timestampFromDate(row.disabledAt),
        })),
        ...(last ? { nextAfter: cursorText(last) } : {}),
      };
    },
    async disableUrl({ accountId, mode, url }) {
      const owner = { accountId, mode: modeName(mode) };
      return { wasDisabled: !(await insertDisabledUrl(deps.sql, owner, url, deps.clock.now())) };
    },
    async enableUrl({ accountId, mode, url }, { signal }) {
      const { sql, clock } = deps;
      const owner = { accountId, mode: modeName(mode) };
      const wasDisabled = await deleteDisabledUrl(sql, owner, url);
      // A claim that still sees the URL as disabled may be stopping deliveries of it.
      await waitForRunningClaims(sql);
      let resumed = 0;
      let isFullBatch = true;
      while (isFullBatch && !signal.aborted) {
        const batch = { at: clock.now(), limit: BATCH };
        const count = await resumeStoppedDeliveries(sql, owner, url, batch);
        resumed += count;
        isFullBatch = count === BATCH;
      }
      if (resumed > 0) deps.wakeSender();
      return { wasDisabled, resumed };
    },
  }) satisfies Partial<Rpcs>;

/** The cursor as clients see it. */
function cursorText({ disabledAt, urlSha256 }: DisabledUrlCursor): string {
  return `${disabledAt.getTime()}.${urlSha256.toString("hex")}`;
}

function parseCursor(text: string): DisabledUrlCursor {
  const [, time, digest] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(text) ?? [];
  if (time === undefined || digest === undefined || Number(time) > 8.64e15) {
    throw refusal({
      reason: ErrorReason.INVALID_FIELD,
      field: "after",
      message: "after must be the next_after of a page of this list",
    });
  }
  return { disabledAt: new Date(Number(time)), urlSha256: Buffer.from(digest, "hex") };
}

const BATCH = 1_000;
