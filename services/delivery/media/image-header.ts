/** Reads an image's size from its header and checks that the file is complete. */
import type { ReadAt } from "./container-boxes.ts";
import { MediaError } from "./media-error.ts";
import type { ImageType } from "./sniff.ts";

export type Size = { width: number; height: number };

const MAX_PIECES = 100_000;
const TAIL_BYTES = 4_096;
const PNG_SIGNATURE_BYTES = 8;

/** Width and height in pixels. Throws a MediaError if the image is truncated or damaged. */
export async function imageSize(type: ImageType, read: ReadAt, bytes: number): Promise<Size> {
  switch (type) {
    case "image/png":
      return pngSize(read);
    case "image/jpeg":
      return jpegSize(read, bytes);
    case "image/webp":
      return webpSize(read, bytes);
  }
}

/** Chunks: length, name, content, checksum; from IHDR to IEND. */
async function pngSize(read: ReadAt): Promise<Size> {
  const header = await readWhole(read, PNG_SIGNATURE_BYTES, 16);
  if (header.toString("latin1", 4, 8) !== "IHDR") throw damaged("no IHDR chunk");
  let at = PNG_SIGNATURE_BYTES;
  for (let count = 0; count < MAX_PIECES; count++) {
    const chunk = await readWhole(read, at, 8);
    const end = at + chunk.readUInt32BE(0) + 12;
    await readWhole(read, end - 4, 4);
    if (chunk.toString("latin1", 4, 8) === "IEND") {
      return { width: header.readUInt32BE(8), height: header.readUInt32BE(12) };
    }
    at = end;
  }
  throw damaged("too many chunks");
}

/** Segments up to the start of the picture; some frame header among them holds the size. */
async function jpegSize(read: ReadAt, bytes: number): Promise<Size> {
  let size: Size | undefined;
  let at = 2;
  for (let count = 0; count < MAX_PIECES; count++) {
    const segment = await readWhole(read, at, 4);
    const marker = segment.readUInt8(1);
    if (segment[0] !== 0xff) throw damaged("no marker where one should be");
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameHeader(marker)) {
      const frame = await readWhole(read, at + 5, 4);
      size = { height: frame.readUInt16BE(0), width: frame.readUInt16BE(2) };
    }
    if (marker === 0xda) break;
    at += 2 + segment.readUInt16BE(2);
  }
  if (size === undefined) throw damaged("no frame header");
  const tail = await read(Math.max(at, bytes - TAIL_BYTES), TAIL_BYTES);
  if (!tail.includes(Buffer.from([0xff, 0xd9]))) throw truncated();
  return size;
}

/** SOF0 to SOF15, except for the three markers in that range that have another meaning. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** One RIFF chunk contains all others; the first one inside tells which of three forms the image has. */
async function webpSize(read: ReadAt, bytes: number): Promise<Size> {
  const head = await readWhole(read, 0, 30);
  if (head.readUInt32LE(4) + 8 > bytes) throw truncated();
  switch (head.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const packed = head.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      throw damaged("unknown WebP form");
  }
}

async function readWhole(read: ReadAt, at: number, length: number): Promise<Buffer> {
  const buffer = await read(at, length);
  if (buffer.byteLength < length) throw truncated();
  return buffer;
}

const truncated = () => new MediaError("truncated", "the image ends too early");
const damaged = (what: string) => new MediaError("damaged", what);
