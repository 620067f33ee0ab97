/** How mail leaves the service: by an SMTP server, as files in a folder, or not at all. */
import type { EnvReader } from "#runtime/env.ts";

export type MailConfig =
  | {
      kind: "smtp";
      /** `smtp://` (STARTTLS) or `smtps://`, with user name and password. */
      url: string;
      /** The sender's address, or `Name <address>`. */
      from: string;
    }
  | { kind: "folder"; directory: string }
  | { kind: "none" };

const SCHEMES = /^smtps?:\/\//;

/** SMTP if SMTP_URL is set; else files in MAIL_DIR or `defaultDirectory`; else none. */
export function readMail(reader: EnvReader, defaultDirectory?: string): MailConfig {
  const directory = reader.optional("MAIL_DIR") ?? defaultDirectory;
  if (reader.optional("SMTP_URL") === undefined) {
    reader.optional("MAIL_FROM");
    return directory === undefined ? { kind: "none" } : { kind: "folder", directory };
  }
  const url = reader.url("SMTP_URL");
  if (url !== "" && !SCHEMES.test(url)) {
    reader.problem("SMTP_URL must begin with smtp:// or smtps://");
  }
  return { kind: "smtp", url, from: reader.string("MAIL_FROM") };
}
