/** Marks in JPEG: C2PA in segments APP11 (JUMBF), XMP in a segment APP1. */
import { MAX_PIECES, readPacket, type Marks, type ReadMarks } from "./marks.ts";

const APP0 = 0xe0;
const APP1 = 0xe1;
const APP11 = 0xeb;
const START_OF_SCAN = 0xda;
const XMP_HEAD = Buffer.from("http://ns.adobe.com/xap/1.0/\0", "latin1");
const EXIF_HEAD = Buffer.from("Exif\0", "latin1");
/** The type of the box that holds Content Credentials stands within these first bytes of the segment. */
const JUMBF_BYTES = 64;
const MAX_SEGMENT_BYTES = 0xffff;

export const jpegMarks: ReadMarks = async (read, bytes) => {
  let hasC2pa = false;
  let xmp: Marks["xmp"] = "none";
  /** After JFIF and Exif, which have to be first. */
  let own = { at: 2, remove: 0 };
  let at = 2;
  for (let count = 0; count < MAX_PIECES; count++) {
    const head = await read(at, 4);
    if (head.byteLength < 4 || head[0] !== 0xff) return undefined;
    const marker = head.readUInt8(1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === START_OF_SCAN) {
      return { hasC2pa, xmp, withXmp: (packet) => segmentOf(packet, own) };
    }
    const length = head.readUInt16BE(2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes) return undefined;
    const content = await read(at + 4, Math.min(length - 2, JUMBF_BYTES));
    if (marker === APP11 && content.includes("jumdc2pa", 0, "latin1")) hasC2pa = true;
    const isXmp = marker === APP1 && startsWith(content, XMP_HEAD);
    if (isXmp && xmp === "none") {
      own = { at, remove: 2 + length };
      const skipped = XMP_HEAD.byteLength;
      xmp = await readPacket(read, at + 4 + skipped, length - 2 - skipped);
    }
    const isFirst = marker === APP0 || (marker === APP1 && startsWith(content, EXIF_HEAD));
    if (isFirst && own.remove === 0 && own.at === at) own = { at: end, remove: 0 };
    at = end;
  }
  return undefined;
};

function startsWith(content: Buffer, head: Buffer): boolean {
  return content.subarray(0, head.byteLength).equals(head);
}

function segmentOf(packet: Buffer, own: { at: number; remove: number }) {
  const length = 2 + XMP_HEAD.byteLength + packet.byteLength;
  if (length > MAX_SEGMENT_BYTES) return undefined;
  const head = Buffer.from([0xff, APP1, length >>> 8, length & 0xff]);
  return [{ ...own, insert: Buffer.concat([head, XMP_HEAD, packet]) }];
}
