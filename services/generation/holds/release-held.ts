/** Gives back what a generation that ended without success holds. */
import type { Client } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { inputFromJson, type GenerationRow } from "../domain/generation.ts";
import { holdOf } from "../domain/hold.ts";
import { storedUrls } from "../domain/input-urls.ts";

type ReleaseDeps = {
  billing: Client<typeof BillingService>;
  delivery: Client<typeof DeliveryService>;
};

export async function releaseHeld(deps: ReleaseDeps, row: GenerationRow): Promise<void> {
  await deps.billing.release({ hold: holdOf(row) });
  if (storedUrls(inputFromJson(row.kind, row.input)).length === 0) return;
  const { accountId, id: generationId, attempt } = row;
  await deps.delivery.releaseFiles({ accountId, generationId, attempt });
}
