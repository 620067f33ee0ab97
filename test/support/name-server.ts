/** A DNS server on a free UDP port of 127.0.0.1: it answers for the names it is given, and is silent about all others. */
import { createSocket } from "node:dgram";

const TYPE_A = 1;
const HEADER_BYTES = 12;

/** `ipv4` has an address for each name; these names have no IPv6 address. */
export async function startNameServer(ipv4: ReadonlyMap<string, string>) {
  const socket = createSocket("udp4");
  const unanswered = new Set<string>();
  let onUnanswered = (): void => {};
  socket.on("message", (query, { port, address }) => {
    const { name, end, type } = questionOf(query);
    const found = ipv4.get(name);
    if (found !== undefined) return socket.send(answerTo(query, end, type, found), port, address);
    unanswered.add(name);
    onUnanswered();
  });
  await new Promise<void>((resolve) => void socket.bind(0, "127.0.0.1", resolve));
  return {
    /** For `Resolver.setServers`. */
    address: `127.0.0.1:${socket.address().port}`,
    /** The names that it was asked for and does not know. */
    unanswered,
    /** Resolves once so many different names have been asked for that it does not answer. */
    silentAbout: (names: number) =>
      new Promise<void>((resolve) => {
        onUnanswered = () => unanswered.size >= names && resolve();
        onUnanswered();
      }),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void socket.close(resolve)),
  };
}

function questionOf(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) };
}

function answerTo(query: Buffer, questionEnd: number, type: number, ipv4: string): Buffer {
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x81_80, 2);
  header.writeUInt16BE(type === TYPE_A ? 1 : 0, 6);
  header.writeUInt16BE(0, 10);
  const question = query.subarray(HEADER_BYTES, questionEnd);
  // Refers to the question's name; type A, class IN, valid for 60 s, four bytes.
  const record = Buffer.from("c00c000100010000003c0004", "hex");
  const answer = type === TYPE_A ? [record, Buffer.from(ipv4.split(".").map(Number))] : [];
  return Buffer.concat([header, question, ...answer]);
}
