/** What the reader of a format finds in a file. */
import type { ReadAt } from "../container-boxes.ts";
import type { Edit } from "./edits.ts";
import { MAX_XMP_BYTES } from "./mark.ts";

export type Marks = {
  hasC2pa: boolean;
  /** The XMP packet; `unreadable` if it is too long, or packed in a way that is not read. */
  xmp: Buffer | "none" | "unreadable";
  /** The edits that give the file this packet, instead of its own; undefined if the format has no room for it. */
  withXmp: (packet: Buffer) => Edit[] | undefined;
};

/** Undefined if the file is not built as its format says: then it is left alone. */
export type ReadMarks = (read: ReadAt, bytes: number) => Promise<Marks | undefined>;

/** More pieces than any file has that is meant well. */
export const MAX_PIECES = 100_000;

/** The `length` bytes from `at` as a packet. */
export async function readPacket(
  read: ReadAt,
  at: number,
  length: number,
): Promise<Buffer | "unreadable"> {
  if (length > MAX_XMP_BYTES) return "unreadable";
  const packet = await read(at, length);
  return packet.byteLength === length ? Buffer.from(packet) : "unreadable";
}

/** Edits in the order of their places. */
export function inOrder(edits: Edit[]): Edit[] {
  return edits.toSorted((a, b) => a.at - b.at);
}
