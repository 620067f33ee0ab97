/** PNG: chunks from IHDR to IEND. C2PA is in the chunk `caBX`, XMP in a chunk of text. */
import { crc32, inflateSync } from "node:zlib";
import {
  addPacket,
  damaged,
  MAX_PIECES,
  MAX_XMP_BYTES,
  orientationIn,
  placeOf,
  truncated,
  uint32,
  whole,
  type Packet,
  type ReadImage,
} from "./format.ts";

const SIGNATURE_BYTES = 8;
/** Length, name, content and checksum of the first chunk. */
const IHDR_BYTES = 25;
/** Of a chunk: its length, its name and its longest keyword. */
const HEAD_BYTES = 8 + 21;
const INSERT_AT = SIGNATURE_BYTES + IHDR_BYTES;
const MAX_EXIF_BYTES = 65_536;
/** The bit depths of each colour type. */
const DEPTHS: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
/** The keyword, no compression, no language, no translation of the keyword. */
const XMP_HEAD = Buffer.from("XML:com.adobe.xmp\0\0\0\0\0", "latin1");
const XMP_KEYWORD = "XML:com.adobe.xmp\0";
/** ImageMagick's, in hexadecimal digits after their number. */
const RAW_KEYWORD = "Raw profile type xmp\0";

export const readPng: ReadImage = async (file) => {
  const size = sizeIn(await whole(file, SIGNATURE_BYTES, IHDR_BYTES));
  const packets: Packet[] = [];
  let hasC2pa = false;
  let hasImage = false;
  let orientation = 1;
  let at = INSERT_AT;
  for (let count = 0; count < MAX_PIECES; count++) {
    const head = await file.read(at, HEAD_BYTES);
    if (head.byteLength < 8) throw truncated();
    const length = head.readUInt32BE(0);
    const type = head.toString("latin1", 4, 8);
    const end = at + length + 12;
    if (end > file.bytes) throw truncated();
    const text = xmpText(type, head, length);
    if (type === "IDAT") hasImage = true;
    else if (type === "caBX") hasC2pa = true;
    else if (type === "eXIf" && !hasImage)
      orientation = orientationIn(await whole(file, at + 8, Math.min(length, MAX_EXIF_BYTES)));
    else if (text) {
      const skipped = text.keyword.length;
      const content = [at + 8 + skipped, length - skipped] as const;
      await addPacket(packets, file, { at, bytes: length + 12 }, content, text.unpack);
    } else if (type === "IEND") {
      if (!hasImage) throw damaged("no picture");
      const place = placeOf(packets, INSERT_AT);
      const withXmp = (packet: Buffer) => [{ ...place, insert: chunkOf(packet) }];
      return { size, orientation, hasC2pa, packets, withXmp };
    }
    at = end;
  }
  throw damaged("too many chunks");
};

function sizeIn(chunk: Buffer) {
  const isHeader = chunk.readUInt32BE(0) === 13 && chunk.toString("latin1", 4, 8) === "IHDR";
  if (!isHeader || crc32(chunk.subarray(4, 21)) !== chunk.readUInt32BE(21))
    throw damaged("no IHDR");
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = chunk.subarray(16, 21);
  const isKnown = DEPTHS[colour]?.includes(depth) && compression === 0 && filter === 0;
  if (!isKnown || interlace > 1) throw damaged("pixels of an unknown kind");
  return { width: chunk.readUInt32BE(8), height: chunk.readUInt32BE(12) };
}

type Text = { keyword: string; unpack: (content: Buffer) => Buffer | undefined };

const TEXTS: Record<string, Text> = {
  iTXt: { keyword: XMP_KEYWORD, unpack: international },
  tEXt: { keyword: RAW_KEYWORD, unpack: hexadecimal },
  zTXt: { keyword: RAW_KEYWORD, unpack: compressed },
};

/** How a chunk of text has XMP; undefined if it has none. */
function xmpText(type: string, head: Buffer, length: number): Text | undefined {
  const text = TEXTS[type];
  if (text === undefined || length < text.keyword.length) return undefined;
  return head.toString("latin1", 8, 8 + text.keyword.length) === text.keyword ? text : undefined;
}

/** After the keyword: whether it is compressed, how, the language, the translated keyword, the text. */
function international(content: Buffer): Buffer | undefined {
  const language = content.indexOf(0, 2);
  const translated = content.indexOf(0, language + 1);
  if (language === -1 || translated === -1) return undefined;
  const text = content.subarray(translated + 1);
  return content[0] === 0 ? Buffer.from(text) : inflated(text);
}

function compressed(content: Buffer): Buffer | undefined {
  const text = inflated(content.subarray(1));
  return text && hexadecimal(text);
}

function hexadecimal(content: Buffer): Buffer | undefined {
  const [, digits] = /^\s*\S+\s+\d+\s([0-9a-f\s]*)$/i.exec(content.toString("latin1")) ?? [];
  return digits === undefined ? undefined : Buffer.from(digits.replaceAll(/\s/g, ""), "hex");
}

function inflated(content: Buffer): Buffer | undefined {
  try {
    return inflateSync(content, { maxOutputLength: 2 * MAX_XMP_BYTES });
  } catch {
    return undefined;
  }
}

function chunkOf(packet: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from("iTXt", "latin1"), XMP_HEAD, packet]);
  return Buffer.concat([uint32(named.byteLength - 4), named, uint32(crc32(named))]);
}
