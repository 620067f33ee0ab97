/** ListCharges: reads a page of what an account's generations cost. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { isGenerationId } from "#runtime/id.ts";
import { kindOf } from "#runtime/kind.ts";
import { modeName } from "#runtime/mode.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { listCharges as listRows } from "../store/charges.ts";
import type { ChargeRow } from "../store/charges.ts";
import { notInList, required } from "./refusals.ts";

/** The caller's `after` is an id of the list, deleted or not. */
export function listCharges(
  deps: Pick<Deps, "sql" | "find">,
): ServiceImpl<typeof GenerationService>["listCharges"] {
  return async ({ accountId, mode, from, to, limit, after }) => {
    const span = {
      accountId,
      mode: modeName(mode),
      from: timestampDate(required(from, "from")),
      to: timestampDate(required(to, "to")),
    };
    const cursor = await findCursor(deps, span, after);
    const rows = await listRows(deps.sql, span, cursor, limit + 1);
    return { charges: rows.slice(0, limit).map(toCharge), hasMore: rows.length > limit };
  };
}

async function findCursor(
  { find }: Pick<Deps, "find">,
  { accountId, mode }: { accountId: string; mode: ModeName },
  after: string | undefined,
): Promise<GenerationRow | undefined> {
  if (after === undefined) return undefined;
  const row = isGenerationId(after) ? await find(accountId, after) : undefined;
  if (row?.mode === mode && row.status === "success") return row;
  throw notInList();
}

function toCharge({ id, kind, model, keyId, prompt, tokens, createdAt, completedAt }: ChargeRow) {
  return {
    generationId: id,
    kind: kindOf(kind),
    model,
    keyId: keyId ?? "",
    prompt,
    tokens,
    createdAt: timestampFromDate(createdAt),
    chargedAt: timestampFromDate(completedAt),
  };
}
