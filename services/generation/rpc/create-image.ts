/** CreateImage: an image generation, awaited. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { isTerminal, toGeneration } from "../domain/generation.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { findGeneration } from "../store/generations.ts";
import { createGeneration } from "./create-generation.ts";
import { required } from "./required.ts";

/** Another process may be the one that ends it, so the row is looked at too. */
const LOOK_AGAIN_MS = 500;

export function createImage(deps: Deps): ServiceImpl<typeof GenerationService>["createImage"] {
  return async (request, context) => {
    const giveUpAt = addMs(deps.clock.now(), request.waitSeconds * 1000);
    const { row, replayed } = await createGeneration(deps, {
      accountId: request.accountId,
      mode: modeName(request.mode),
      kind: "image",
      id: request.generationId,
      model: request.model,
      given: required(request.input, "input"),
      replayOnly: request.replayOnly,
    });
    const ended = await waitForEnd(deps, row, giveUpAt, context.signal);
    return { generation: toGeneration(ended), replayed };
  };
}

/** The row once it has ended, or as it is at `giveUpAt` or when the caller has gone. */
async function waitForEnd(
  deps: Deps,
  row: GenerationRow,
  giveUpAt: Date,
  callerGone: AbortSignal,
): Promise<GenerationRow> {
  let current = row;
  while (!isTerminal(current.status) && deps.clock.now() < giveUpAt && !callerGone.aborted) {
    const turn = new AbortController();
    const ended = deps.ends.wait(row.id, turn.signal);
    current = (await findGeneration(deps.sql, row.account_id, row.id)) ?? current;
    if (!isTerminal(current.status)) {
      const pause = deps.clock.sleep(LOOK_AGAIN_MS, AbortSignal.any([turn.signal, callerGone]));
      await Promise.race([ended, pause]);
    }
    turn.abort();
  }
  return current;
}
