/** Pieces of picture files, which tests put together as other programs do. */
import { crc32 } from "node:zlib";

export const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
export const uint32 = (value: number): Buffer =>
  Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
export const uint32le = (value: number): Buffer => uint32(value).reverse();

export const insert = (file: Buffer, at: number, piece: Buffer): Buffer =>
  Buffer.concat([file.subarray(0, at), piece, file.subarray(at)]);

export function pngChunk(type: string, ...content: Buffer[]): Buffer {
  const named = Buffer.concat([bytes(type), ...content]);
  return Buffer.concat([uint32(named.byteLength - 4), named, uint32(crc32(named))]);
}

export function jpegSegment(marker: number, ...content: Buffer[]): Buffer {
  const length = Buffer.concat(content).byteLength + 2;
  return Buffer.concat([Buffer.from([0xff, marker, length >>> 8, length & 0xff]), ...content]);
}

/** The file with one more chunk at its end. */
export function webpWith(file: Buffer, type: string, content: Buffer): Buffer {
  const padding = Buffer.alloc(content.byteLength % 2);
  const chunk = [bytes(type), uint32le(content.byteLength), content, padding];
  const longer = Buffer.concat([file, ...chunk]);
  longer.writeUInt32LE(longer.byteLength - 8, 4);
  return longer;
}
