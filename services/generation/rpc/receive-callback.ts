/** ReceiveCallback: an upstream says that something has happened to a job; only asking it tells what. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import type { CalledBack } from "../domain/callback.ts";
import type { GenerationRow } from "../domain/generation.ts";
import type { Callback } from "../providers/provider.ts";
import { findGeneration } from "../store/generations.ts";
import { insertSubmitIfFree } from "../store/submits.ts";
import { makeDueIfUnfinished } from "../store/tasks.ts";
import { notFound } from "./create-generation.ts";

export function receiveCallback(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["receiveCallback"] {
  return async ({ token, headers, body }) => {
    const called = deps.callbacks.read(token);
    if (!called) throw notFound("callback");
    const row = await findGeneration(deps.sql, called.accountId, called.generationId);
    if (row && isExpected(row, called)) await hear(deps, row, called, { headers, body });
    // Nothing in the answer tells a forger how far he came.
    return {};
  };
}

/**
 * Calls about a submit that came to nothing, and late ones, change nothing. One about a job that was not known is
 * never too late: somebody may have to stop it.
 */
function isExpected(row: GenerationRow, { submitToken }: CalledBack): boolean {
  return row.submit_token === submitToken && (row.upstream_id === null || row.settling === null);
}

async function hear(
  deps: Deps,
  row: GenerationRow,
  { submitToken }: CalledBack,
  callback: Callback,
): Promise<void> {
  const { account_id, id: generation_id } = row;
  const route = deps.upstreams.byName(row.provider ?? "");
  const upstream_id = await route?.provider.callback?.({ ...callback, model: route.upstreamModel });
  if (!route || upstream_id === undefined) {
    deps.log.warn({ generation_id }, "a callback that is not genuine; it changes nothing");
    return;
  }
  const now = deps.clock.now();
  const submit = {
    account_id,
    generation_id,
    submit_token: submitToken,
    credential: route.credential,
    upstream_id,
    created_at: now,
  };
  const isOwn =
    row.upstream_id === null
      ? await insertSubmitIfFree(deps.sql, submit)
      : row.upstream_id === upstream_id;
  if (!isOwn) {
    deps.log.warn({ generation_id }, "a callback that names another job; it changes nothing");
    return;
  }
  await makeDueIfUnfinished(deps.sql, row, now);
  deps.wake();
}
