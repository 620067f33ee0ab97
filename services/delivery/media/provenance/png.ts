/** Marks in PNG: C2PA in the chunk `caBX`, XMP in a chunk `iTXt`. */
import { crc32 } from "node:zlib";
import { MAX_PIECES, readPacket, type Marks, type ReadMarks } from "./marks.ts";

const SIGNATURE_BYTES = 8;
/** After IHDR, which is always 13 bytes and the first. */
const INSERT_AT = SIGNATURE_BYTES + 25;
/** The keyword, no compression, no language, no translation of the keyword. */
const XMP_HEAD = Buffer.from("XML:com.adobe.xmp\0\0\0\0\0", "latin1");
const KEYWORD_BYTES = 18;

export const pngMarks: ReadMarks = async (read, bytes) => {
  let hasC2pa = false;
  let xmp: Marks["xmp"] = "none";
  let own = { at: INSERT_AT, remove: 0 };
  let at = SIGNATURE_BYTES;
  for (let count = 0; count < MAX_PIECES; count++) {
    const head = await read(at, 8);
    if (head.byteLength < 8) return undefined;
    const length = head.readUInt32BE(0);
    const type = head.toString("latin1", 4, 8);
    if (at + length + 12 > bytes) return undefined;
    if (at === SIGNATURE_BYTES && (type !== "IHDR" || length !== 13)) return undefined;
    if (type === "caBX") hasC2pa = true;
    if (type === "iTXt" && xmp === "none") {
      const start = await read(at + 8, Math.min(length, XMP_HEAD.byteLength));
      if (start.subarray(0, KEYWORD_BYTES).equals(XMP_HEAD.subarray(0, KEYWORD_BYTES))) {
        own = { at, remove: length + 12 };
        const skipped = XMP_HEAD.byteLength;
        xmp = start.equals(XMP_HEAD)
          ? await readPacket(read, at + 8 + skipped, length - skipped)
          : "unreadable";
      }
    }
    if (type === "IEND")
      return { hasC2pa, xmp, withXmp: (packet) => [{ ...own, insert: chunkOf(packet) }] };
    at += length + 12;
  }
  return undefined;
};

function chunkOf(packet: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from("iTXt", "latin1"), XMP_HEAD, packet]);
  return Buffer.concat([uint32(named.byteLength - 4), named, uint32(crc32(named))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
