/** Mail without an SMTP server, and with one that fails. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "#runtime/log.ts";
import {
  createMailer,
  type MailConfig,
} from "../../../../services/gateway/accounts/mail/mailer.ts";
import { messages } from "../../../../services/gateway/accounts/mail/messages.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { startSmtp } from "../../../support/smtp-server.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const SECRET = "a-secret-token";
const TO = "ada@example.com";
const MAIL = messages(() => "https://media.example.com").resetPassword(SECRET);

/** Sends the mail and waits for it; returns the log. */
async function sendBy(config: MailConfig): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const log = createLog("test", "debug", { write: (line) => void lines.push(line) });
  const clock = manualClock("2026-11-22T12:00:00.000Z");
  const deadline = new AbortController().signal;
  const mailer = createMailer(config, { clock, log, deadline });
  expect(mailer.reachesAddressee).toBe(config.kind === "smtp");
  mailer.send(TO, MAIL);
  await mailer[Symbol.asyncDispose]();
  expect(lines.join("")).not.toContain(SECRET);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("a mail", () => {
  it("is a file that only the service can read, which the log names without its content", async () => {
    await using folder = await temporaryFolder();
    const [line] = await sendBy({ kind: "folder", directory: join(folder.path, "mails") });
    const file = String(line?.["file"]);
    const { subject, text } = MAIL;
    expect(await readFile(file, "utf8")).toBe(`To: ${TO}\nSubject: ${subject}\n\n${text}`);
    const link = `https://media.example.com/dashboard/reset-password#token=${SECRET}`;
    expect(text).toContain(link);
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it("is sent before the mailer has stopped", async () => {
    await using smtp = await startSmtp();
    expect(await sendBy({ kind: "smtp", url: smtp.url, from: "media@example.com" })).toEqual([]);
    expect(smtp.received).toMatchObject([{ to: TO, subject: MAIL.subject }]);
  });

  it("that cannot be sent is in the log, with its kind alone", async () => {
    const refused = { kind: "smtp", url: "smtp://127.0.0.1:9", from: "media@example.com" } as const;
    for (const config of [refused, { kind: "none" } as const]) {
      const [line] = await sendBy(config);
      expect(line).toMatchObject({ part: "mail", mail: "reset-password" });
      expect(JSON.stringify(line)).not.toContain(TO);
    }
  });
});
