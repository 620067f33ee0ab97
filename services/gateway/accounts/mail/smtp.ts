/** Sends mail to the configured SMTP server. */
import type { Transporter } from "nodemailer";
import { randomToken } from "#runtime/id.ts";
import type { MailConfig } from "./config.ts";
import type { Transport } from "./transport.ts";

/** The whole of a mail takes three times as long at most. */
const TIMEOUT_MS = 10_000;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

type SmtpConfig = Extract<MailConfig, { kind: "smtp" }>;

/** The client is loaded with the first mail: most processes send none. Connections are kept for the next mails. */
export function smtp(config: SmtpConfig): Transport {
  const { from } = config;
  const domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
  let opening: Promise<Transporter> | undefined;
  return {
    async deliver(to, { subject, text, id = randomToken() }) {
      opening ??= openTransport(config);
      const transport = await opening;
      const messageId = `<${id}@${domain}>`;
      // The library parses a text as a list of addresses, an object never.
      await transport.sendMail({ from, to: { name: "", address: to }, subject, text, messageId });
    },
    close: () => void opening?.then((transport) => transport.close()),
  };
}

/** Without TLS mail only goes to a server on this machine. */
async function openTransport({ url }: SmtpConfig): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    url,
    pool: true,
    requireTLS: !LOOPBACK.test(new URL(url.replace(/^smtps?:/, "http:")).hostname),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Whether the server will never take a mail to this address, so that trying again is of no use. */
export function isRefusedAddress(error: unknown): boolean {
  const { command, responseCode = 0 } = error as { command?: string; responseCode?: number };
  return command === "RCPT TO" && responseCode >= 500;
}
