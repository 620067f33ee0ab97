/** JPEG: segments up to the picture, which an end marker follows. C2PA is in segments APP11 (JUMBF), XMP in APP1. */
import {
  addPacket,
  damaged,
  MAX_PIECES,
  orientationIn,
  placeOf,
  truncated,
  whole,
  type FileBytes,
  type Packet,
  type ReadImage,
  type Size,
} from "./format.ts";

const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP11 = 0xeb;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);
/** Sequential and progressive, by Huffman and by arithmetic codes: what browsers decode. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc9, 0xca]);
const XMP_HEAD = Buffer.from("http://ns.adobe.com/xap/1.0/\0", "latin1");
const EXIF_HEAD = Buffer.from("Exif\0", "latin1");
/** Says where in the file further pictures are, such as a gain map. */
const MPF_HEAD = Buffer.from("MPF\0", "latin1");
/** The type of the box that holds Content Credentials stands within these first bytes of the segment. */
const JUMBF_BYTES = 64;
const MAX_SEGMENT_BYTES = 0xffff;
const SCANNED_BYTES = 256 * 1024;

export const readJpeg: ReadImage = async (file) => {
  const packets: Packet[] = [];
  let size: Size | undefined;
  let orientation: number | undefined;
  let hasC2pa = false;
  let hasOffsets = false;
  /** After JFIF and Exif, which have to be first. */
  let insertAt = 2;
  let at = 2;
  for (let count = 0; count < MAX_PIECES; count++) {
    const head = await whole(file, at, 4);
    if (head[0] !== 0xff) throw damaged("no marker where one should be");
    const marker = head.readUInt8(1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === START_OF_SCAN) {
      if (size === undefined) throw damaged("no frame that browsers show");
      await assertEnds(file, at);
      const place = placeOf(packets, insertAt);
      const withXmp = (packet: Buffer) => (hasOffsets ? undefined : segmentOf(packet, place));
      return { size, orientation: orientation ?? 1, hasC2pa, packets, withXmp };
    }
    const length = head.readUInt16BE(2);
    const end = at + 2 + length;
    if (length < 2) throw damaged("a segment without length");
    if (end > file.bytes) throw truncated();
    const content = await file.read(at + 4, Math.min(length - 2, JUMBF_BYTES));
    if (FRAMES.has(marker)) size = sizeIn(content);
    else if (marker === APP2 && startsWith(content, MPF_HEAD)) hasOffsets = true;
    else if (marker === APP11 && content.includes("jumdc2pa", 0, "latin1")) hasC2pa = true;
    else if (marker === APP1 && startsWith(content, EXIF_HEAD))
      orientation ??= orientationIn(await whole(file, at + 10, Math.max(0, length - 8)));
    else if (marker === APP1 && startsWith(content, XMP_HEAD)) {
      const skipped = XMP_HEAD.byteLength;
      const packet = [at + 4 + skipped, length - 2 - skipped] as const;
      await addPacket(packets, file, { at, bytes: end - at }, packet);
    }
    const isFirst = marker === APP0 || (marker === APP1 && startsWith(content, EXIF_HEAD));
    if (isFirst && insertAt === at) insertAt = end;
    at = end;
  }
  throw damaged("too many segments");
};

/** The end marker cannot be within the coded picture. What may follow it, such as a video, is no part of it. */
async function assertEnds(file: FileBytes, scanAt: number): Promise<void> {
  for (let at = scanAt; at < file.bytes; at += SCANNED_BYTES) {
    // The marker may lie on both sides of a border.
    const part = await file.read(at, SCANNED_BYTES + 1);
    if (part.includes(END_OF_IMAGE)) return;
  }
  throw truncated();
}

function sizeIn(frame: Buffer): Size {
  if (frame.byteLength < 5 || frame[0] !== 8) throw damaged("a frame that browsers do not show");
  return { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) };
}

function startsWith(content: Buffer, head: Buffer): boolean {
  return content.subarray(0, head.byteLength).equals(head);
}

function segmentOf(packet: Buffer, place: { at: number; remove: number }) {
  const length = 2 + XMP_HEAD.byteLength + packet.byteLength;
  if (length > MAX_SEGMENT_BYTES) return undefined;
  const head = Buffer.from([0xff, APP1, length >>> 8, length & 0xff]);
  return [{ ...place, insert: Buffer.concat([head, XMP_HEAD, packet]) }];
}
