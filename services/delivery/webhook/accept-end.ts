/** Takes over a generation's end: commits its delivery, then tells generation that it is in our hands. */
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { insertDelivery } from "../store/webhook-deliveries.ts";
import type { End } from "../domain/event.ts";
import { webhookBody, webhookUrlOf } from "../domain/event.ts";

const CONFIRM_TIMEOUT_MS = 5_000;

/** Idempotent by event id. Rejects where the row could not be committed, or the confirmation not given. */
export async function takeOver(
  deps: Pick<Deps, "sql" | "clock" | "newId" | "generation" | "assetBaseUrl" | "ringSender">,
  end: End,
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
    });
    deps.ringSender();
  }
  await deps.generation.confirmHandover(
    { accountId: generation.accountId, generationId: generation.id },
    { timeoutMs: CONFIRM_TIMEOUT_MS },
  );
}
