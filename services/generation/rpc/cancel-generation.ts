/** CancelGeneration and DeleteGeneration: stop a generation and restore its Tokens, or delete what it holds. EraseAccount: all of an account. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { turnKey } from "#runtime/rpc/server/interceptors.ts";
import { toGeneration, type GenerationRow } from "../domain/generation.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { requireVisible, settled } from "./read-generations.ts";
import { deleted } from "./refusals.ts";
import {
  deleteGenerationIfEnded,
  deleteSomeOfAccount,
  cancelTaskIfPending,
  endTaskIfOpen,
  requestCancelIfProcessing,
} from "../store/ends.ts";
import { cancelJob } from "../upstreams/jobs.ts";

export function endRpcs(deps: Deps) {
  return {
    /**
     * A pending generation is always canceled. A processing one is canceled only if nothing of it is at an upstream, or if
     * its upstream confirms within 10 s that the job has stopped; otherwise it goes on. A canceled one is answered as it
     * is. Errors: NOT_FOUND; GENERATION_DELETED; NOT_CANCELABLE; ALREADY_FINISHED (success or failure was decided first);
     * UNAVAILABLE (canceled, but the Tokens are not restored yet).
     */
    async cancelGeneration(request, context) {
      using waiter = deps.completions.waiterOf(request.generationId);
      const row = await requireVisible(deps.find, request);
      if (row.deletedAt) throw deleted();
      // The upstream has 10 s.
      context.values.get(turnKey)?.pause();
      const decided = row.settling === null ? await decide(deps, row) : row;
      if (decided.settling !== "canceled") {
        throw refusal({
          reason: ErrorReason.ALREADY_FINISHED,
          message: `The generation has ended (${decided.settling ?? "finished"}) and cannot be canceled any more.`,
        });
      }
      return { generation: toGeneration(await settled(deps, waiter, decided, context)) };
    },
    /** A worker carries the deletion out. Idempotent. Errors: NOT_FOUND; NOT_FINISHED. */
    async deleteGeneration(request) {
      const row = await requireVisible(deps.find, request);
      if (row.completedAt === null) {
        throw refusal({
          reason: ErrorReason.NOT_FINISHED,
          message: "The generation has not ended. Cancel it or wait for its end, then delete it.",
        });
      }
      if (await deleteGenerationIfEnded(deps.sql, row, deps.clock.now())) deps.wake();
      return {};
    },
    /** Deletes what has ended of an account that is erased, as the account itself would; a worker carries it out. */
    async eraseAccount({ accountId }) {
      const at = deps.clock.now();
      const done = await deleteSomeOfAccount(deps.sql, accountId, at, DELETIONS_PER_CALL);
      if (!done) deps.wake();
      return { done };
    },
  } satisfies Rpcs;
}

/** The row with a decision: this cancel, or whatever was decided before it. */
async function decide(deps: Deps, row: GenerationRow): Promise<GenerationRow> {
  const now = deps.clock.now();
  const canceled =
    (await cancelTaskIfPending(deps.sql, row, now)) ??
    ((await requestCancelIfProcessing(deps.sql, row, now))
      ? await cancelAtUpstream(deps, row)
      : undefined);
  if (canceled) deps.wake();
  const current = canceled ?? (await deps.find(row.accountId, row.id));
  if (current?.settling) return current;
  throw refusal({
    reason: ErrorReason.NOT_CANCELABLE,
    message:
      "The generation is being made and could not be stopped; it goes on. Poll it for its end.",
  });
}

/** Cancels only after the upstream has certainly stopped the job. Undefined too where another end was decided meanwhile. */
async function cancelAtUpstream(
  deps: Deps,
  row: GenerationRow,
): Promise<GenerationRow | undefined> {
  const current = await deps.find(row.accountId, row.id);
  const provider = deps.upstreams.byName(current?.upstream ?? "")?.provider;
  const upstreamId = current?.upstreamId;
  if (!provider || !upstreamId) return undefined;
  const isStopped = await cancelJob(deps.clock, provider, upstreamId).catch(() => false);
  if (!isStopped) return undefined;
  return endTaskIfOpen(deps.sql, row, deps.clock.now());
}

/** A minute's worth: more at once would keep workers from other accounts' tasks. */
const DELETIONS_PER_CALL = 500;
