/** Delivers alerts about Tokens: claims them at billing, sends them by webhook and mail, and confirms them. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Alert, DueAlert } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { startDueLoop } from "#runtime/due-loop.ts";
import type { DueLoop, DueLoopDeps } from "#runtime/due-loop.ts";
import { publicTokenLimit } from "#runtime/public-token-limit.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Mail, Messages } from "../mail/messages.ts";
import { listBillingAddresses } from "../store/memberships.ts";

const AT_ONCE = 4;
const IDLE_MS = 5_000;
/** While no mail can be sent, an alert is tried again each minute for so long. */
const MAIL_FOR_MS = 24 * 3_600_000;

export type AlertDeps = Pick<Deps, "sql" | "clock" | "log" | "billing" | "delivery"> &
  Pick<DueLoopDeps, "shutdown"> & { mailer: Mailer; messages: Messages };

/** Runs until disposed. An alert that is not confirmed is due again when billing's lease of a minute ends. */
export function startAlerts(deps: AlertDeps): DueLoop {
  return startDueLoop<DueAlert>(
    {
      name: "alerts",
      concurrency: AT_ONCE,
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
  if (mail) await sendMails(deps, alert);
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

/** Throws when not one mail was sent, so that the alert is tried again; one address that fails holds up no other. */
async function sendMails(deps: AlertDeps, alert: Alert): Promise<void> {
  const { sql, clock, mailer } = deps;
  const mail = mailOf(deps.messages, alert);
  const addresses = await listBillingAddresses(sql, alert.accountId);
  const sent = await Promise.all(addresses.map((to) => mailer.deliver(to, mail)));
  const ageMs = clock.now().getTime() - (alert.at ? timestampDate(alert.at).getTime() : 0);
  if (sent.length > 0 && !sent.includes(true) && ageMs < MAIL_FOR_MS) {
    throw new Error("no mail about the alert could be sent");
  }
}

function mailOf(messages: Messages, { accountId, what }: Alert): Mail {
  switch (what.case) {
    case "lowBalance":
      return messages.balanceLow(
        accountId,
        what.value.balance?.available ?? 0n,
        what.value.threshold,
      );
    case "reachedLimit": {
      const { limit, percent } = what.value;
      if (!limit) throw new Error("an alert about a limit has the limit");
      return messages.limitReached(accountId, { limit: publicTokenLimit(limit), percent });
    }
    default:
      throw new Error("an alert says what happened");
  }
}
