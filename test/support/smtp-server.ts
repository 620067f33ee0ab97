/** An SMTP server on the loopback interface that keeps what it is sent. */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type ReceivedMail = { to: string; subject: string; text: string; messageId: string };

export type Smtp = Awaited<ReturnType<typeof startSmtp>>;

export async function startSmtp() {
  const received: ReceivedMail[] = [];
  /** The reply codes with which addresses are refused. */
  const refusals = new Map<string, number>();
  const taken = new Set<ReceivedMail>();
  let arrived = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    // Milliseconds that a stop waits for clients which keep their connections.
    closeTimeout: 1,
    onRcptTo({ address }, _session, done) {
      const responseCode = refusals.get(address);
      const refused = new Error("refused by the test");
      done(responseCode ? Object.assign(refused, { responseCode }) : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = envelope.rcptTo.map(({ address }) => address).join(",");
        received.push({ to, ...parse(Buffer.concat(chunks).toString("utf8")) });
        arrived.resolve();
        arrived = Promise.withResolvers();
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refusals,
    /** The next mail to `to` that no earlier call returned. */
    async next(to: string): Promise<ReceivedMail> {
      for (;;) {
        const mail = received.find((one) => one.to === to && !taken.has(one));
        if (mail) {
          taken.add(mail);
          return mail;
        }
        await arrived.promise;
      }
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The one link of a mail. Throws if it has a query, which servers log: secrets stand in the fragment. */
export function linkIn({ text }: ReceivedMail): URL {
  const [found = ""] = text.match(/https?:\S+/) ?? [];
  const link = new URL(found);
  if (link.search !== "") throw new Error(`a link with a query: ${found}`);
  return link;
}

/** The secret parts of a link: what stands in its fragment. */
export function secretsIn(mail: ReceivedMail): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(linkIn(mail).hash.slice(1)));
}

function parse(message: string): Omit<ReceivedMail, "to"> {
  const [head = "", body = ""] = message.split(/\r\n\r\n(.*)/s);
  const subject = /^Subject: (.*(?:\r\n\s.*)*)/m.exec(head)?.[1] ?? "";
  const text = /quoted-printable/.test(head) ? decodeQuotedPrintable(body) : body;
  const messageId = /^Message-ID:\s*(\S+)/im.exec(head)?.[1] ?? "";
  return { subject: subject.replaceAll(/\r\n\s+/g, " "), text, messageId };
}

function decodeQuotedPrintable(text: string): string {
  return text
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
