/** FailTask: an operator gives an unfinished generation up; its Tokens come back by the way of every other end. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { submitBegunAt } from "../domain/deadlines.ts";
import { FAILURES } from "../domain/failures.ts";
import { isTerminal } from "../domain/generation.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { jobOf } from "../domain/job.ts";
import type { Provider } from "../providers/provider.ts";
import { findSubmit } from "../store/submits.ts";
import { failGenerationIfOpen } from "../store/tasks.ts";
import { toTask } from "../domain/task.ts";
import { unavailable } from "./create-generation.ts";
import { alreadyEnded, taskOf } from "./task-of.ts";
import { waitForEnd } from "./wait-for-end.ts";

const ASK_UPSTREAM_MS = 10_000;
const SETTLE_WITHIN_MS = 10_000;

export function failTask(deps: Deps): ServiceImpl<typeof GenerationService>["failTask"] {
  return async (request, context) => {
    const row = await taskOf(deps, request);
    const now = deps.clock.now();
    const decided = await failGenerationIfOpen(deps.sql, row, FAILURES.givenUp, now);
    if (!decided) throw alreadyEnded(await taskOf(deps, request));
    deps.log.warn({ generation_id: row.id, account_id: row.account_id }, "failed by an operator");
    deps.wake();
    const stopped = stopUpstream(deps, decided).catch((error: unknown) => {
      deps.log.warn({ err: error, generation_id: row.id }, "its upstream job was not cancelled");
    });
    const ended = await waitForEnd(deps, decided, SETTLE_WITHIN_MS, context.signal);
    await stopped;
    if (!isTerminal(ended.status)) throw unavailable();
    return { task: toTask(ended) };
  };
}

/** Nobody wants the job any more. A submit that is in flight is stopped by its worker, which finds its row gone. */
async function stopUpstream(deps: Deps, row: GenerationRow): Promise<void> {
  const route = deps.upstreams.byName(row.provider ?? "");
  if (!route || row.submit_token === null) return;
  const signal = AbortSignal.timeout(ASK_UPSTREAM_MS);
  const known = await findSubmit(deps.sql, row.account_id, row.id, row.submit_token);
  const job = jobOf(row, row.submit_token, deps.catalog, route);
  const lost = { job, sentAt: submitBegunAt(row) };
  const id = known?.upstream_id ?? (await foundId(route.provider, lost, signal));
  if (id !== undefined) await route.provider.cancel(id, signal);
}

async function foundId(
  provider: Provider,
  lost: Parameters<Provider["find"]>[0],
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await provider.find(lost, signal);
  return found.kind === "found" ? found.upstreamId : undefined;
}
