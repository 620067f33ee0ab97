/** Reads a media file's type, size, duration and marks from its bytes; declared types are ignored. */
import { open } from "node:fs/promises";
import type { VideoHeader } from "./confinement.ts";
import {
  damaged,
  faultOfFile,
  MediaError,
  type FileBytes,
  type ImageType,
  type MediaType,
  type ReadImage,
  type Size,
} from "./formats/format.ts";
import { readJpeg } from "./formats/jpeg.ts";
import { readPng } from "./formats/png.ts";
import { readMp4, readWebm } from "./formats/video.ts";
import { readWebp } from "./formats/webp.ts";

export { faultOfFile, MediaError, type ImageType, type MediaType } from "./formats/format.ts";

export type PictureInfo = Awaited<ReturnType<typeof inspectImage>>;

const MAX_SIDE_PIXELS = 16_384;
const WINDOW_BYTES = 16 * 1024;
const SNIFF_BYTES = 64;

const IMAGES: Record<ImageType, ReadImage> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/webp": readWebp,
};

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
// The first box of MP4 and of QuickTime, which has the same container.
const MP4 = /^(ftyp|free|skip|wide|moov|mdat)$/;
// Brands of other formats with the same container: pictures and audio.
const NOT_VIDEO = /^(avif|avis|heic|heix|heim|heis|mif1|crx |M4A |M4B )$/;

/** The type of the file that begins with `first`, or undefined if it is not one of the stored types. */
export function sniffType(first: Uint8Array): MediaType | undefined {
  const bytes = Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  const text = (start: number, end: number) => bytes.toString("latin1", start, end);
  if (bytes.subarray(0, 8).equals(PNG)) return "image/png";
  if (bytes.subarray(0, 3).equals(JPEG)) return "image/jpeg";
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return "image/webp";
  if (MP4.test(text(4, 8)))
    return text(4, 8) === "ftyp" && NOT_VIDEO.test(text(8, 12)) ? undefined : "video/mp4";
  // The first element holds the document type: "webm", or "matroska" for other files.
  if (bytes.subarray(0, 4).equals(EBML) && text(4, SNIFF_BYTES).includes("webm"))
    return "video/webm";
  return undefined;
}

/** Throws a MediaError for other types, and for truncated or damaged files. Decodes nothing in this process. */
export async function inspectMedia(
  file: FileBytes,
  readHeader: (video: FileBytes) => Promise<VideoHeader>,
) {
  const contentType = sniffType(await file.read(0, SNIFF_BYTES));
  if (contentType === undefined)
    throw new MediaError("unknown_type", "the file is not MP4, WebM, PNG, JPEG or WebP");
  if (isImage(contentType))
    return { ...(await inspectImage(contentType, file)), durationSeconds: null };
  const marks = await (contentType === "video/mp4" ? readMp4 : readWebm)(file);
  const { durationSeconds, ...size } = await readHeader(file);
  // What a process says that a file may have taken over is not believed.
  if (!(Number.isFinite(durationSeconds) && durationSeconds > 0)) throw damaged("no duration");
  return { contentType, ...sides(size), durationSeconds, marks };
}

/** `fault` says why the bytes are not a whole picture of at most `maxPixels`. */
export async function inspectPicture(content: Uint8Array, maxPixels = Infinity) {
  const contentType = sniffType(content);
  if (!isImage(contentType)) return { fault: "not a picture" };
  const info = await inspectImage(contentType, inMemory(content)).catch(faultOfFile);
  if (info instanceof MediaError) return { fault: info.fault };
  const { width, height } = info;
  return width * height > maxPixels ? { fault: `${width}x${height} pixels` } : info;
}

/** The sides are those of the picture as displayed. `orientation`: how its pixels are turned for that, as Exif counts. */
async function inspectImage(contentType: ImageType, file: FileBytes) {
  const { size, orientation, ...marks } = await IMAGES[contentType](file);
  const shown = orientation >= 5 ? { width: size.height, height: size.width } : size;
  return { contentType, ...sides(shown), orientation, marks };
}

function sides({ width, height }: Size): Size {
  for (const pixels of [width, height]) {
    if (Number.isInteger(pixels) && pixels > 0 && pixels <= MAX_SIDE_PIXELS) continue;
    throw damaged(`a side of ${pixels} pixels`);
  }
  return { width, height };
}

function isImage(type: MediaType | undefined): type is ImageType {
  return type?.startsWith("image/") ?? false;
}

export function inMemory(content: Uint8Array): FileBytes {
  const { buffer, byteOffset, byteLength } = content;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return { bytes: byteLength, read: (at, length) => bytes.subarray(at, at + length) };
}

/** Reads in windows: most pieces are small and lie close together. */
export async function openFile(path: string): Promise<FileBytes & AsyncDisposable> {
  const file = await open(path, "r");
  const { size: bytes } = await file.stat();
  let start = 0;
  let window = Buffer.alloc(0);
  return {
    bytes,
    async read(at, length) {
      if (at < start || Math.min(at + length, bytes) > start + window.byteLength) {
        const next = Buffer.alloc(Math.max(length, WINDOW_BYTES));
        const { bytesRead } = await file.read(next, { position: at });
        start = at;
        window = next.subarray(0, bytesRead);
      }
      return window.subarray(at - start, at - start + length);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
