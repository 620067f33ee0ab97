/** Has delivery copy an upstream's results, and decides by what came of it. */
import type { Output } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { kindOf } from "#vocabulary/kind.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import type { Deps } from "./deps.ts";
import { FAILURES, type Failure } from "../../domain/failures.ts";
import { inputFromJson, type GenerationRow } from "../../domain/generation.ts";
import { outputsAsked } from "../../domain/plan.ts";
import type { Source } from "../../providers/provider.ts";
import { decideFailed, decideSuccess } from "./step.ts";

export type StoreResult =
  | { kind: "stored"; output: Output[] }
  | { kind: "failed"; failure: Failure };

/** As many of the sources as the request asks for are stored. Throws if a copy failed and can be tried again. */
export async function storeOutput(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<StoreResult> {
  const request = {
    accountId: row.accountId,
    generationId: row.id,
    kind: kindOf(row.kind),
    mode: modeOf(row.mode),
    sources: sources.slice(0, outputsAsked(inputFromJson(row.kind, row.input))).map((source) =>
      "url" in source
        ? {
            from: { case: "url" as const, value: source.url },
            configuredOrigin: source.configuredOrigin,
            headers: { ...source.headers },
          }
        : { from: { case: "content" as const, value: source.content } },
    ),
  };
  try {
    const { output } = await deps.delivery.storeOutput(request, { signal });
    return { kind: "stored", output };
  } catch (error) {
    if (reasonOf(error) === ErrorReason.SOURCE_GONE) {
      return { kind: "failed", failure: FAILURES.resultGone };
    }
    throw error;
  }
}

/** What is stored of a generation whose other outputs can be had no more; the failure where nothing is. */
export async function storedSoFar(
  deps: Deps,
  { accountId, id: generationId }: GenerationRow,
  failure: Failure,
): Promise<StoreResult> {
  const { output } = await deps.delivery.findOutput({ accountId, generationId });
  return output.length > 0 ? { kind: "stored", output } : { kind: "failed", failure };
}

export function decideStored(
  deps: Deps,
  row: GenerationRow,
  result: StoreResult,
): Promise<GenerationRow | undefined> {
  return result.kind === "stored"
    ? decideSuccess(deps, row, result.output)
    : decideFailed(deps, row, result.failure);
}
