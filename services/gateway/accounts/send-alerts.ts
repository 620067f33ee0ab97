/** Delivers alerts about Tokens: claims them at billing, sends them by webhook and mail, and confirms them. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import type { Alert, BillingService, DueAlert } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { DAY_MS } from "#runtime/clock.ts";
import { startDueLoop, type DueLoop } from "#runtime/loops.ts";
import { publicTokenLimit } from "#vocabulary/public-values.ts";
import type { Base } from "#runtime/service/service.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { MAX_DELIVERIES, type Mailer } from "./mail/mailer.ts";
import type { Mail, Messages } from "./mail/messages.ts";
import * as store from "../store/store.ts";

const IDLE_MS = 5_000;
/** While its mail cannot be sent, an alert is tried again each minute for so long. */
const MAIL_FOR_MS = DAY_MS;

export type AlertDeps = Pick<Base, "sql" | "clock" | "log" | "shutdown"> & {
  billing: Client<typeof BillingService>;
  delivery: Client<typeof DeliveryService>;
  mailer: Mailer;
  messages: Messages;
};

/** Runs until disposed. An alert that is not confirmed is due again when billing's lease of a minute ends. */
export function startAlerts(deps: AlertDeps): DueLoop {
  return startDueLoop<DueAlert>(
    {
      name: "alerts",
      concurrency: MAX_DELIVERIES,
      idleMs: IDLE_MS,
      claim: async (limit) => (await deps.billing.claimAlerts({ limit })).alerts,
      work: (due) => sendAlert(deps, due),
    },
    deps,
  );
}

async function sendAlert(deps: AlertDeps, { alert, webhookUrl, mail }: DueAlert): Promise<void> {
  if (!alert) throw new Error("a due alert has its alert");
  if (webhookUrl !== "") await sendWebhook(deps, alert, webhookUrl);
  if (mail) await sendMail(deps, alert);
  await deps.billing.confirmAlert({ accountId: alert.accountId, eventId: alert.eventId });
}

/** Delivery has its own retries. It refuses a URL that webhooks may no longer be sent to: then nothing is sent. */
async function sendWebhook({ delivery, log }: AlertDeps, alert: Alert, url: string): Promise<void> {
  try {
    await delivery.sendAlert({ alert, url });
  } catch (error) {
    if (reasonOf(error) !== ErrorReason.INVALID_FIELD) throw error;
    log.warn({ err: error, account_id: alert.accountId }, "alert refused by delivery");
  }
}

/** Sends one mail to all who are told. Throws where it can be sent later, so that the alert is tried again. */
async function sendMail({ sql, clock, mailer, messages }: AlertDeps, alert: Alert): Promise<void> {
  const to = await store.listAlertAddresses(sql, alert.accountId);
  if (to.length === 0) return;
  const isDone = await mailer.deliver(to, { ...mailOf(messages, alert), id: alert.eventId });
  const ageMs = clock.now().getTime() - (alert.at ? timestampDate(alert.at).getTime() : 0);
  if (!isDone && ageMs < MAIL_FOR_MS) throw new Error("the mail about an alert could not be sent");
}

function mailOf(messages: Messages, { accountId, what }: Alert): Mail {
  switch (what.case) {
    case "lowBalance": {
      const { balance, threshold } = what.value;
      return messages.balanceLow(accountId, balance?.available ?? 0n, threshold);
    }
    case "reachedLimit": {
      const { limit, percent } = what.value;
      if (!limit) throw new Error("an alert about a limit has the limit");
      return messages.limitReached(accountId, publicTokenLimit(limit), percent);
    }
    default:
      throw new Error("an alert says what happened");
  }
}
