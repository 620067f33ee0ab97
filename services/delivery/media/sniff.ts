/** Detects a media type from the first bytes of a file. */

export type ImageType = "image/png" | "image/jpeg" | "image/webp";
export type VideoType = "video/mp4" | "video/webm";
export type MediaType = ImageType | VideoType;

/** How many bytes `sniffType` needs. */
export const SNIFF_BYTES = 64;

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
// Brands of other formats with the same container as MP4: pictures, QuickTime, audio.
const NOT_MP4 = /^(avif|avis|heic|heix|heim|heis|hevc|mif1|msf1|crx |qt {2}|M4A |M4B )$/;

/** The type of the file that begins with `first`, or undefined if it is not one of the stored types. */
export function sniffType(first: Uint8Array): MediaType | undefined {
  const bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  const text = (start: number, end: number) => bytes.toString("latin1", start, end);
  if (bytes.subarray(0, 8).equals(PNG)) return "image/png";
  if (bytes.subarray(0, 3).equals(JPEG)) return "image/jpeg";
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return "image/webp";
  if (text(4, 8) === "ftyp") return NOT_MP4.test(text(8, 12)) ? undefined : "video/mp4";
  // The first element holds the document type: "webm", or "matroska" for other files.
  if (bytes.subarray(0, 4).equals(EBML) && text(4, SNIFF_BYTES).includes("webm"))
    return "video/webm";
  return undefined;
}
