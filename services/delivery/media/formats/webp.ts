/** WebP: one RIFF chunk with all others. C2PA is in the chunk `C2PA`, XMP in `XMP `, of which a flag in `VP8X` tells. */
import {
  addPacket,
  damaged,
  MAX_PIECES,
  placeOf,
  truncated,
  uint32,
  whole,
  type Edit,
  type Packet,
  type ReadImage,
  type Size,
} from "./format.ts";

const FIRST_CHUNK_AT = 12;
const XMP_FLAG = 0x04;
const ANIMATION_FLAG = 0x02;
const ALPHA_FLAG = 0x10;
const MAX_RIFF_BYTES = 0xffff_fffe;
const VP8_START = Buffer.from([0x9d, 0x01, 0x2a]);
const VP8L_START = 0x2f;

export const readWebp: ReadImage = async (file) => {
  const first = await whole(file, 0, 30);
  const end = 8 + first.readUInt32LE(4);
  if (end > file.bytes) throw truncated();
  const form = first.toString("latin1", 12, 16);
  const canvas = form === "VP8X" ? canvasIn(first) : undefined;
  const isAnimated = canvas !== undefined && (first.readUInt8(20) & ANIMATION_FLAG) !== 0;
  const packets: Packet[] = [];
  let size: Size | undefined;
  let hasC2pa = false;
  let isRegular = true;
  let at = FIRST_CHUNK_AT;
  for (let count = 0; at < end; count++) {
    if (count === MAX_PIECES) throw damaged("too many chunks");
    const head = await file.read(at, 18);
    const length = head.byteLength < 8 ? Infinity : head.readUInt32LE(4);
    const next = at + 8 + length + (length % 2);
    if (!(next <= end)) {
      // What was found before is shown, but nothing can be added behind it.
      isRegular = false;
      break;
    }
    const type = head.toString("latin1", 0, 4);
    if (type === "C2PA") hasC2pa = true;
    else if (type === "ANMF" && isAnimated) size ??= canvas;
    else if ((type === "VP8 " || type === "VP8L") && !isAnimated) size ??= frameIn(type, head);
    else if (type === "XMP ")
      await addPacket(packets, file, { at, bytes: next - at }, [at + 8, length]);
    at = next;
  }
  if (size === undefined) throw damaged("no picture");
  if (canvas && (size.width !== canvas.width || size.height !== canvas.height))
    throw damaged("a picture of another size than its canvas");
  const place = placeOf(packets, end);
  const extended = extendedHead(form, first, size);
  const withXmp = (packet: Buffer): Edit[] | undefined => {
    const insert = chunkOf("XMP ", packet);
    const added = insert.byteLength - place.remove + extended.insert.byteLength - extended.remove;
    if (!isRegular || end - 8 + added > MAX_RIFF_BYTES) return undefined;
    const length = { at: 4, remove: 4, insert: uint32le(end - 8 + added) };
    return [length, extended, { ...place, insert }];
  };
  // Browsers do not turn it, whatever its Exif says.
  return { size, orientation: 1, hasC2pa, packets, withXmp };
};

function canvasIn(first: Buffer): Size {
  return { width: first.readUIntLE(24, 3) + 1, height: first.readUIntLE(27, 3) + 1 };
}

/** Of the first bytes of a chunk with a picture. */
function frameIn(type: "VP8 " | "VP8L", chunk: Buffer): Size {
  if (chunk.byteLength < 18) throw truncated();
  if (type === "VP8 ") {
    if (!chunk.subarray(11, 14).equals(VP8_START)) throw damaged("no picture");
    return { width: chunk.readUInt16LE(14) & 0x3fff, height: chunk.readUInt16LE(16) & 0x3fff };
  }
  if (chunk[8] !== VP8L_START) throw damaged("no picture");
  const packed = chunk.readUInt32LE(9);
  return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
}

/** The edit after which the file begins with a chunk `VP8X` whose flag for XMP is set. */
function extendedHead(form: string, first: Buffer, { width, height }: Size): Edit {
  if (form === "VP8X") {
    return { at: 20, remove: 1, insert: Buffer.from([first.readUInt8(20) | XMP_FLAG]) };
  }
  const hasAlpha = form === "VP8L" && ((first.readUInt32LE(21) >>> 28) & 1) === 1;
  const content = Buffer.alloc(10);
  content.writeUInt8(XMP_FLAG | (hasAlpha ? ALPHA_FLAG : 0), 0);
  content.writeUIntLE(width - 1, 4, 3);
  content.writeUIntLE(height - 1, 7, 3);
  return { at: FIRST_CHUNK_AT, remove: 0, insert: chunkOf("VP8X", content) };
}

function chunkOf(type: string, content: Buffer): Buffer {
  const padding = Buffer.alloc(content.byteLength % 2);
  return Buffer.concat([
    Buffer.from(type, "latin1"),
    uint32le(content.byteLength),
    content,
    padding,
  ]);
}

const uint32le = (value: number): Buffer => uint32(value).reverse();
