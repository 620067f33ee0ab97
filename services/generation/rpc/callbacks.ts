/** The RPCs on callbacks of upstreams. */
import { isUniqueViolation } from "#runtime/postgres/connect.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { notIssued } from "./refusals.ts";
import type { SubmitAddress } from "../domain/callback.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { submitBegunAt } from "../domain/waits.ts";
import { makeDueIfUnfinished } from "../store/tasks.ts";

export function callbackRpcs(deps: Deps) {
  return {
    /** Errors: NOT_FOUND if this service did not sign the token. */
    checkCallback({ token }) {
      if (!deps.callbacks.read(token)) throw notIssued();
      return {};
    },
    /**
     * A callback makes its task due now; if the answer to the submit was lost, it also supplies the upstream id.
     * Nothing else in it is believed. Errors: NOT_FOUND if this service did not sign the token. Every other callback gets
     * the same answer, so that a forger learns nothing.
     */
    async receiveCallback({ token, body }) {
      const submit = deps.callbacks.read(token);
      if (!submit) throw notIssued();
      const row = await deps.find(submit.accountId, submit.generationId);
      if (row && isExpected(row, submit)) await accept(deps, row, body);
      return {};
    },
  } satisfies Rpcs;
}

/**
 * Callbacks about an earlier submit, and those after the decision, change nothing. One that supplies an unknown
 * upstream id is never too late: the job may have to be stopped.
 */
function isExpected(row: GenerationRow, { submitToken }: SubmitAddress): boolean {
  return row.submitToken === submitToken && (row.upstreamId === null || row.settling === null);
}

async function accept(deps: Deps, row: GenerationRow, body: Uint8Array): Promise<void> {
  const refused = (why: string) =>
    deps.log.warn({ generation_id: row.id }, `callback refused: ${why}`);
  const upstream = deps.upstreams.byName(row.upstream ?? "");
  const upstreamId = upstream?.provider.callback?.({ body, model: upstream.upstreamModel });
  if (upstreamId === undefined) return refused("it names no job");
  const now = deps.clock.now();
  const deadlineAt = deps.catalog.processingDeadline(row, submitBegunAt(row));
  const acceptance = { upstreamId, startedAt: now, deadlineAt };
  const isOwnJob =
    row.upstreamId === null
      ? await deps.writes.accept(row, acceptance).catch((error: unknown) => {
          // The job is another task's.
          if (isUniqueViolation(error)) return false;
          throw error;
        })
      : row.upstreamId === upstreamId;
  if (!isOwnJob) return refused("it names another job");
  await makeDueIfUnfinished(deps.sql, row, now);
  deps.wake();
}
