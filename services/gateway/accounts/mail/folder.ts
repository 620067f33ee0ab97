/** Writes mails as text files, for services without an SMTP server. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import type { Transport } from "./transport.ts";

/** The log names the file, never the content: its links are secrets. Only the service's user can read it. */
export function mailFolder(
  directory: string,
  { clock, log }: { clock: Clock; log: Log },
): Transport {
  const deliver: Transport["deliver"] = async (to, { kind, subject, text }) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const time = clock.now().toISOString().replaceAll(":", "-");
    const file = join(directory, `${time}-${kind}-${randomToken().slice(-8)}.txt`);
    await writeFile(`${file}.new`, `To: ${to}\nSubject: ${subject}\n\n${text}`, { mode: 0o600 });
    await rename(`${file}.new`, file);
    log.info({ part: "mail", mail: kind, file }, "mail written to a file: SMTP_URL is not set");
  };
  return { deliver, close() {} };
}
