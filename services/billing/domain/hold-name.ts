/** The name of a hold: its account, mode, generation and attempt. */
import type { Hold } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName, type ModeName } from "#vocabulary/names.ts";

export type HoldName = {
  accountId: string;
  mode: ModeName;
  generationId: string;
  attempt: number;
};

export function holdName(hold: Hold): HoldName {
  return {
    accountId: hold.accountId,
    mode: modeName(hold.mode),
    generationId: hold.generationId,
    attempt: hold.attempt,
  };
}
