/** Sends mails in the background: by an SMTP server, as files in a folder, or not at all. */
import pLimit from "p-limit";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Transporter } from "nodemailer";
import { onAbort } from "#runtime/abort.ts";
import type { EnvReader } from "#runtime/env.ts";
import { randomToken } from "#runtime/id.ts";
import type { Base } from "#runtime/service/service.ts";
import { isPlainLoopback } from "../../domain/requests.ts";
import type { Mail } from "./messages.ts";

export type MailConfig = ReturnType<typeof readMail>;

/**
 * SMTP if SMTP_URL is set, `smtp://` (STARTTLS) or `smtps://` with user name and password, from an address or
 * `Name <address>`; else files in MAIL_DIR or `defaultDirectory`; else none.
 */
export function readMail(reader: EnvReader, defaultDirectory?: string) {
  const directory = reader.optional("MAIL_DIR") ?? defaultDirectory;
  if (reader.optional("SMTP_URL") === undefined) {
    reader.optional("MAIL_FROM");
    if (directory === undefined) return { kind: "none" } as const;
    return { kind: "folder", directory } as const;
  }
  const url = reader.url("SMTP_URL", ["smtp", "smtps"]);
  return { kind: "smtp", url, from: reader.string("MAIL_FROM") } as const;
}

/** The whole of a mail takes three times as long at most. */
const SMTP_TIMEOUT_MS = 10_000;

/** The client is loaded with the first mail: most processes send none. Connections are kept for the next mails. */
function smtp({ url, from }: Extract<MailConfig, { kind: "smtp" }>): Transport {
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
  let opening: Promise<Transporter> | undefined;
  return {
    async deliver(addresses, { subject, text, id = randomToken() }) {
      opening ??= openTransport(url);
      const transport = await opening;
      const messageId = `<${id}@${domain}>`;
      // The library parses a text as a list of addresses, an object never.
      const to = addresses.map((address) => ({ name: "", address }));
      await transport.sendMail({ from, to, subject, text, messageId });
    },
    close: () => void opening?.then((transport) => transport.close()),
  };
}

/** Without TLS mail only goes to a server on this machine. */
async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    pool: true,
    // No mail waits in the library.
    maxConnections: MAX_AT_ONCE + MAX_DELIVERIES,
    requireTLS: !isPlainLoopback(url.replace(/^smtps?:/, "http:")),
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Whether the server will never take a mail to these addresses, so that trying again is of no use. */
function isRefusedAddress(error: unknown): boolean {
  const { command, responseCode = 0 } = error as { command?: string; responseCode?: number };
  return command === "RCPT TO" && responseCode >= 500;
}

export type Transport = {
  /** Resolves when the mail has been accepted, for one of the addresses at least. */
  deliver: (to: readonly string[], mail: Mail) => Promise<void>;
  /** Gives up what is in progress. */
  close: () => void;
};

/** The log names the file, never the content: its links are secrets. Only the service's user can read it. */
function mailFolder(directory: string, { clock, log }: MailerDeps): Transport {
  const deliver: Transport["deliver"] = async (to, { kind, subject, text }) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const time = clock.now().toISOString().replaceAll(":", "-");
    const file = join(directory, `${time}-${kind}-${randomToken().slice(-8)}.txt`);
    await writeFile(`${file}.new`, `To: ${to.join(", ")}\nSubject: ${subject}\n\n${text}`, {
      mode: 0o600,
    });
    await rename(`${file}.new`, file);
    log.info({ part: "mail", mail: kind, file }, "mail written to a file: SMTP_URL is not set");
  };
  return { deliver, close() {} };
}

const MAX_AT_ONCE = 4;
/** Mails in memory; more are not sent. */
const MAX_WAITING = 1_000;

/** Calls of `deliver` at a time. */
export const MAX_DELIVERIES = 4;

export type Mailer = ReturnType<typeof createMailer>;

type MailerDeps = Pick<Base, "clock" | "log"> & {
  /** When it aborts, mails that are not sent yet are given up. */
  deadline: AbortSignal;
};

/** Disposal waits for the mails in progress. */
export function createMailer(config: MailConfig, deps: MailerDeps) {
  const { log } = deps;
  const { deliver, close } = transportOf(config, deps);
  const limit = pLimit(MAX_AT_ONCE);
  const inProgress = new Set<Promise<unknown>>();
  const sendNow = async (to: readonly string[], mail: Mail): Promise<boolean> => {
    try {
      await deliver(to, mail);
      return true;
    } catch (error) {
      log.error({ part: "mail", mail: mail.kind, err: error }, "mail not sent");
      return isRefusedAddress(error);
    }
  };
  const waitedFor = (sending: Promise<boolean>): Promise<boolean> => {
    inProgress.add(sending);
    return sending.finally(() => inProgress.delete(sending));
  };
  return {
    /** Whether mail reaches its addressee, so that a link in a mail proves an address. */
    reachesAddressee: config.kind === "smtp",
    /** Begins to send. A failure is logged and not repeated: every mail can be asked for again. */
    send(to: string, mail: Mail) {
      if (inProgress.size >= MAX_WAITING) {
        log.error({ part: "mail", mail: mail.kind }, "mail not sent: too many are waiting");
        return;
      }
      void waitedFor(limit(sendNow, [to], mail));
    },
    /** Sends a mail that nobody would ask for again, within 30 s. A failure is logged; false where trying again may help. */
    deliver: (to: readonly string[], mail: Mail) => waitedFor(sendNow(to, mail)),
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
