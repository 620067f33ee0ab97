/** The RPCs on what was used and charged. */
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { UsageGroup } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { DAY_MS } from "#runtime/clock.ts";
import { invalidField } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { MAX_USAGE_DAYS } from "#vocabulary/public-values.ts";
import { kindOf, modeName, namesOf } from "#vocabulary/names.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { listCharges as listRows, type ChargeRow, usageBy } from "../store/usage.ts";
import { BOTH_KINDS, findCursor } from "./read-generations.ts";

const { nameOf: groupName } = namesOf(UsageGroup);

const MAX_SPAN_MS = MAX_USAGE_DAYS * DAY_MS;

/** The rules of the requests require both times. */
const timeOf = (time = timestampFromDate(new Date(0))) => timestampDate(time);

export function usageRpcs(deps: Pick<Deps, "sql" | "findShown">) {
  return {
    /**
     * Days are UTC; a generation counts on the day it was completed, or created while it runs, from `from` (inclusive) to `to`
     * (exclusive). Errors: INVALID_FIELD (field "to") if the span is empty or longer than MAX_USAGE_DAYS.
     */
    async getUsage({ accountId, mode, from, to, groupBy }) {
      const span = { accountId, mode: modeName(mode), from: timeOf(from), to: timeOf(to) };
      const ms = span.to.getTime() - span.from.getTime();
      if (ms <= 0 || ms > MAX_SPAN_MS) {
        throw invalidField("to", `to must come after from, by at most ${MAX_USAGE_DAYS} days`);
      }
      return { usage: await usageBy(deps.sql, groupName(groupBy), span) };
    },
    /** The caller's `after` is an id of the list, deleted or not. */
    async listCharges({ accountId, mode, from, to, limit, after }) {
      const span = { accountId, mode: modeName(mode), from: timeOf(from), to: timeOf(to) };
      const scope = { ...span, kinds: BOTH_KINDS };
      const cursor = await findCursor(deps, scope, after, ({ status }) => status === "success");
      const rows = await listRows(deps.sql, span, cursor, limit + 1);
      return { charges: rows.slice(0, limit).map(toCharge), hasMore: rows.length > limit };
    },
  } satisfies Rpcs;
}

function toCharge({ id: generationId, kind, completedAt, ...row }: ChargeRow) {
  const chargedAt = timestampFromDate(completedAt);
  return { ...fieldsOf(row), generationId, kind: kindOf(kind), chargedAt };
}
