/** Sends mail in the background, so that no answer tells by its time whether a mail was sent. */
import pLimit from "p-limit";
import { onAbort } from "#runtime/abort.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { MailConfig } from "./config.ts";
import { mailFolder } from "./folder.ts";
import type { Mail } from "./messages.ts";
import { smtp } from "./smtp.ts";
import type { Transport } from "./transport.ts";

const MAX_AT_ONCE = 4;
/** Mails in memory; more are not sent. */
const MAX_WAITING = 1_000;

export type Mailer = AsyncDisposable & {
  /** Whether mail reaches its addressee, so that a link in a mail proves an address. */
  readonly reachesAddressee: boolean;
  /** Begins to send. A failure is logged and not repeated: every mail can be asked for again. */
  send: (to: string, mail: Mail) => void;
  /** Resolves to whether the mail was accepted; a failure is logged. For mails that nobody would ask for again. */
  deliver: (to: string, mail: Mail) => Promise<boolean>;
};

export type MailerDeps = {
  clock: Clock;
  log: Log;
  /** When it aborts, mails that are not sent yet are given up. */
  deadline: AbortSignal;
};

/** Disposal waits for the mails in hand. */
export function createMailer(config: MailConfig, deps: MailerDeps): Mailer {
  const { log } = deps;
  const { deliver, close } = transportOf(config, deps);
  const limit = pLimit(MAX_AT_ONCE);
  const inHand = new Set<Promise<unknown>>();
  const sendInTurn = (to: string, mail: Mail): Promise<boolean> => {
    const sending = limit(sendNow, to, mail).finally(() => inHand.delete(sending));
    inHand.add(sending);
    return sending;
  };
  const sendNow = async (to: string, mail: Mail): Promise<boolean> => {
    try {
      await deliver(to, mail);
      return true;
    } catch (error) {
      log.error({ part: "mail", mail: mail.kind, err: error }, "mail not sent");
      return false;
    }
  };
  return {
    reachesAddressee: config.kind === "smtp",
    send(to, mail) {
      if (inHand.size >= MAX_WAITING) {
        log.error({ part: "mail", mail: mail.kind }, "mail not sent: too many are waiting");
        return;
      }
      void sendInTurn(to, mail);
    },
    deliver: sendInTurn,
    async [Symbol.asyncDispose]() {
      using _giveUp = onAbort(deps.deadline, close);
      await Promise.all(inHand);
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
