/** Accepts a generation's end: commits its webhook delivery, then confirms to generation. */
import { modeName } from "#runtime/mode.ts";
import { keptContext } from "#runtime/work-context.ts";
import type { Deps } from "../deps.ts";
import type { GenerationEnd } from "../domain/event.ts";
import { webhookBody, webhookUrlOf } from "../domain/event.ts";
import { insertDelivery } from "../store/webhook-deliveries.ts";

const CONFIRM_TIMEOUT_MS = 5_000;

/** Idempotent by event id. Rejects if the commit or the confirmation fails; the caller then tries again. */
export async function acceptEnd(
  deps: Pick<Deps, "sql" | "clock" | "newId" | "generation" | "assetBaseUrl" | "wakeSender">,
  end: GenerationEnd,
): Promise<void> {
  const { generation } = end;
  const url = webhookUrlOf(end);
  if (url !== undefined) {
    await insertDelivery(deps.sql, {
      accountId: generation.accountId,
      id: deps.newId("whd"),
      mode: modeName(generation.mode),
      eventId: end.eventId,
      type: end.type,
      generationId: generation.id,
      url,
      host: URL.parse(url)?.host ?? "",
      body: webhookBody(end, deps.assetBaseUrl),
      at: deps.clock.now(),
      ...keptContext(),
    });
    deps.wakeSender();
  }
  await deps.generation.confirmHandover(
    { accountId: generation.accountId, generationId: generation.id },
    { timeoutMs: CONFIRM_TIMEOUT_MS },
  );
}
