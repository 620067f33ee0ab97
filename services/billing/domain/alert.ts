/** Alerts: what accounts are told, as rows and as the RPCs return it. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AlertSchema,
  AlertSettingsSchema,
  type Alert,
  type AlertSettings,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { toTokenLimit, type UsedLimit } from "./token-limit.ts";

export type AlertSettingsRow = {
  /** Null: never. */
  lowBelow: bigint | null;
  limitPercents: number[];
  webhookUrl: string | null;
  mail: boolean;
};

type What =
  | { type: "balance.low"; data: { available: string; reserved: string; threshold: string } }
  | { type: "limit.reached"; data: UsedLimit & { percent: number } };

/** An alert as a row has it, with the destinations that it is sent to. */
export type AlertRow = What & {
  accountId: string;
  id: string;
  createdAt: Date;
  webhookUrl: string | null;
  mail: boolean;
};

export function toAlert(row: AlertRow): Alert {
  return create(AlertSchema, {
    accountId: row.accountId,
    eventId: row.id,
    at: timestampFromDate(row.createdAt),
    what: whatOf(row),
  });
}

function whatOf({ type, data }: What) {
  switch (type) {
    case "balance.low": {
      const [available, reserved] = [BigInt(data.available), BigInt(data.reserved)];
      const value = { balance: { available, reserved }, threshold: BigInt(data.threshold) };
      return { case: "lowBalance", value } as const;
    }
    case "limit.reached": {
      const value = { limit: toTokenLimit(data), percent: data.percent };
      return { case: "reachedLimit", value } as const;
    }
  }
}

/** Without settings nothing is told, and mail is on for when there are some. */
export function toAlertSettings(row: AlertSettingsRow | undefined): AlertSettings {
  return create(AlertSettingsSchema, {
    lowBalance: row?.lowBelow ?? undefined,
    limitPercents: row?.limitPercents ?? [],
    webhookUrl: row?.webhookUrl ?? "",
    mail: row?.mail ?? true,
  });
}
