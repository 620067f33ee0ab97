/** CancelVideo: the owner wants a video stopped and its Tokens back (contract.md, States). */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { isTerminal, toGeneration } from "../domain/generation.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { withTimeout } from "../providers/shared/with-timeout.ts";
import {
  cancelGenerationIfOpen,
  cancelGenerationIfPending,
  requestCancelIfProcessing,
} from "../store/cancels.ts";
import { findVisible } from "../store/generations.ts";
import { notFound, unavailable } from "./create-generation.ts";
import { waitForEnd } from "./wait-for-end.ts";

const ASK_UPSTREAM_MS = 10_000;
const SETTLE_WITHIN_MS = 10_000;

export function cancelVideo(deps: Deps): ServiceImpl<typeof GenerationService>["cancelVideo"] {
  return async (request, context) => {
    const { accountId, generationId: id } = request;
    const address = { accountId, mode: modeName(request.mode), kind: "video" as const, id };
    const row = await findVisible(deps.sql, address);
    if (!row) throw notFound(id);
    const settling = row.settling === null ? await decide(deps, row) : row;
    if (settling.settling !== "canceled") throw alreadyFinished(settling);
    const ended = await waitForEnd(deps, settling, SETTLE_WITHIN_MS, context.signal);
    if (!isTerminal(ended.status)) throw unavailable();
    return { generation: toGeneration(ended) };
  };
}

/** The row with a decision: ours to cancel, or one that came first. */
async function decide(deps: Deps, row: GenerationRow): Promise<GenerationRow> {
  const now = deps.clock.now();
  const decided =
    (await cancelGenerationIfPending(deps.sql, row, now)) ??
    ((await requestCancelIfProcessing(deps.sql, row, now)) ? await stop(deps, row) : undefined);
  if (decided) deps.wake();
  const { account_id: accountId, mode, kind, id } = row;
  const current = decided ?? (await findVisible(deps.sql, { accountId, mode, kind, id }));
  if (!current?.settling) throw notCancelable();
  return current;
}

/** Asks the upstream; only a certain stop cancels. */
async function stop(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  const { account_id: accountId, mode, kind, id } = row;
  const current = await findVisible(deps.sql, { accountId, mode, kind, id });
  const provider = deps.upstreams.byName(current?.provider ?? "")?.provider;
  const upstreamId = current?.upstream_id;
  if (!provider || !upstreamId) throw notCancelable();
  const never = new AbortController().signal;
  const isStopped = await withTimeout(deps.clock, ASK_UPSTREAM_MS, never, (limit) =>
    provider.cancel(upstreamId, limit),
  ).catch(() => false);
  if (!isStopped) throw notCancelable();
  return cancelGenerationIfOpen(deps.sql, row, deps.clock.now());
}

function notCancelable(): Error {
  return refusal({
    reason: ErrorReason.NOT_CANCELABLE,
    message:
      "The generation is being made and could not be stopped; it goes on. Poll it for its end.",
  });
}

function alreadyFinished({ settling }: GenerationRow): Error {
  return refusal({
    reason: ErrorReason.ALREADY_FINISHED,
    message: `The generation has ended (${settling ?? "finished"}) and cannot be canceled any more.`,
  });
}
