/** Marks in WebP: C2PA in the chunk `C2PA`, XMP in the chunk `XMP `, of which a flag in the chunk `VP8X` tells. */
import type { ReadAt } from "../container-boxes.ts";
import type { Edit } from "./edits.ts";
import { inOrder, MAX_PIECES, readPacket, type Marks, type ReadMarks } from "./marks.ts";

const FIRST_CHUNK_AT = 12;
const XMP_FLAG = 0x04;
const ALPHA_FLAG = 0x10;
const MAX_RIFF_BYTES = 0xffff_fffe;

export const webpMarks: ReadMarks = async (read, bytes) => {
  const head = await read(0, 30);
  if (head.byteLength < 30) return undefined;
  const end = 8 + head.readUInt32LE(4);
  if (end > bytes) return undefined;
  let hasC2pa = false;
  let xmp: Marks["xmp"] = "none";
  let own = { at: end, remove: 0 };
  let at = FIRST_CHUNK_AT;
  for (let count = 0; at < end; count++) {
    const chunk = await read(at, 8);
    if (count === MAX_PIECES || at + 8 > end || chunk.byteLength < 8) return undefined;
    const length = chunk.readUInt32LE(4);
    const type = chunk.toString("latin1", 0, 4);
    const next = at + 8 + length + (length % 2);
    if (next > end) return undefined;
    if (type === "C2PA") hasC2pa = true;
    if (type === "XMP " && xmp === "none") {
      own = { at, remove: next - at };
      xmp = await readPacket(read, at + 8, length);
    }
    at = next;
  }
  const extended = await extendedHead(head, read);
  if (extended === undefined) return undefined;
  const withXmp = (packet: Buffer): Edit[] | undefined => {
    const insert = chunkOf("XMP ", packet);
    const added = insert.byteLength - own.remove + extended.insert.byteLength - extended.remove;
    if (end - 8 + added > MAX_RIFF_BYTES) return undefined;
    return inOrder([
      { at: 4, remove: 4, insert: uint32(end - 8 + added) },
      extended,
      { ...own, insert },
    ]);
  };
  return { hasC2pa, xmp, withXmp };
};

/** The edit after which the file begins with a chunk `VP8X` whose flag for XMP is set. */
async function extendedHead(head: Buffer, read: ReadAt): Promise<Edit | undefined> {
  const type = head.toString("latin1", 12, 16);
  if (type === "VP8X") {
    const flags = head.readUInt8(20) | XMP_FLAG;
    return { at: 20, remove: 1, insert: Buffer.from([flags]) };
  }
  const content = Buffer.alloc(10);
  if (type === "VP8 ") {
    content.writeUInt8(XMP_FLAG, 0);
    writeSides(content, head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff);
  } else if (type === "VP8L") {
    const packed = (await read(21, 4)).readUInt32LE(0);
    content.writeUInt8(XMP_FLAG | ((packed >>> 28) & 1 ? ALPHA_FLAG : 0), 0);
    writeSides(content, (packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1);
  } else return undefined;
  return { at: FIRST_CHUNK_AT, remove: 0, insert: chunkOf("VP8X", content) };
}

function writeSides(content: Buffer, width: number, height: number): void {
  content.writeUIntLE(width - 1, 4, 3);
  content.writeUIntLE(height - 1, 7, 3);
}

function chunkOf(type: string, content: Buffer): Buffer {
  const padding = Buffer.alloc(content.byteLength % 2);
  return Buffer.concat([Buffer.from(type, "latin1"), uint32(content.byteLength), content, padding]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
