/** Sends mail in the background, so that no answer tells by its time whether a mail was sent. */
import pLimit from "p-limit";
import { onAbort } from "#runtime/abort.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { MailConfig } from "./config.ts";
import { mailFolder } from "./folder.ts";
import type { Mail } from "./messages.ts";
import { isRefusedAddress, smtp } from "./smtp.ts";
import type { Transport } from "./transport.ts";

const MAX_AT_ONCE = 4;
/** Mails in memory; more are not sent. */
const MAX_WAITING = 1_000;

export type MailOutcome =
  | "accepted"
  /** The server will never take a mail to this address. */
  | "refused"
  | "failed";

export type Mailer = AsyncDisposable & {
  /** Whether mail reaches its addressee, so that a link in a mail proves an address. */
  readonly reachesAddressee: boolean;
  /** Begins to send. A failure is logged and not repeated: every mail can be asked for again. */
  send: (to: string, mail: Mail) => void;
  /** Sends a mail that nobody would ask for again. A failure is logged; a mail whose turn comes after `beginBy` is one. */
  deliver: (to: string, mail: Mail, beginBy: Date) => Promise<MailOutcome>;
};

export type MailerDeps = {
  clock: Clock;
  log: Log;
  /** When it aborts, mails that are not sent yet are given up. */
  deadline: AbortSignal;
};

/** Disposal waits for the mails in progress. */
export function createMailer(config: MailConfig, deps: MailerDeps): Mailer {
  const { clock, log } = deps;
  const { deliver, close } = transportOf(config, deps);
  const limit = pLimit(MAX_AT_ONCE);
  const inProgress = new Set<Promise<unknown>>();
  const sendInTurn = (to: string, mail: Mail, beginBy?: Date): Promise<MailOutcome> => {
    const sending = limit(sendNow, to, mail, beginBy).finally(() => inProgress.delete(sending));
    inProgress.add(sending);
    return sending;
  };
  const sendNow = async (to: string, mail: Mail, beginBy?: Date): Promise<MailOutcome> => {
    if (beginBy && clock.now() > beginBy) {
      log.warn({ part: "mail", mail: mail.kind }, "mail not sent: its turn came too late");
      return "failed";
    }
    try {
      await deliver(to, mail);
      return "accepted";
    } catch (error) {
      log.error({ part: "mail", mail: mail.kind, err: error }, "mail not sent");
      return isRefusedAddress(error) ? "refused" : "failed";
    }
  };
  return {
    reachesAddressee: config.kind === "smtp",
    send(to, mail) {
      if (inProgress.size >= MAX_WAITING) {
        log.error({ part: "mail", mail: mail.kind }, "mail not sent: too many are waiting");
        return;
      }
      void sendInTurn(to, mail);
    },
    deliver: sendInTurn,
    async [Symbol.asyncDispose]() {
      using _giveUp = onAbort(deps.deadline, close);
      await Promise.all(inProgress);
      close();
    },
  };
}

function transportOf(config: MailConfig, deps: MailerDeps): Transport {
  if (config.kind === "smtp") return smtp(config);
  if (config.kind === "folder") return mailFolder(config.directory, deps);
  return {
    async deliver(_to, { kind }) {
      deps.log.warn(
        { part: "mail", mail: kind },
        "mail not sent: SMTP_URL and MAIL_DIR are not set",
      );
    },
    close() {},
  };
}
