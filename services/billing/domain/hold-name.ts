/** The name of a hold: its account, mode, generation and attempt. */
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { ModeName } from "#runtime/mode.ts";

export type HoldName = {
  account_id: string;
  mode: ModeName;
  generation_id: string;
  attempt: number;
};

export function holdName(hold: Hold): HoldName {
  return {
    account_id: hold.accountId,
    mode: modeName(hold.mode),
    generation_id: hold.generationId,
    attempt: hold.attempt,
  };
}
