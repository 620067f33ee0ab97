/** Reads a picture's type and size from its bytes. */
import type { ReadAt } from "./container-boxes.ts";
import { imageSize } from "./image-header.ts";
import { MediaError } from "./media-error.ts";
import { SNIFF_BYTES, sniffType, type ImageType } from "./sniff.ts";

export type PictureInfo = { contentType: ImageType; width: number; height: number };

/** `fault` says why the bytes are not a whole picture of at most `maxPixels`. */
export async function inspectPicture(
  content: Buffer,
  maxPixels: number,
): Promise<PictureInfo | { fault: string }> {
  const contentType = sniffType(content.subarray(0, SNIFF_BYTES));
  if (!isImage(contentType)) return { fault: "not a picture" };
  try {
    const { width, height } = await imageSize(contentType, readerOf(content), content.byteLength);
    const pixels = width * height;
    if (pixels === 0 || pixels > maxPixels) return { fault: `${width}x${height} pixels` };
    return { contentType, width, height };
  } catch (error) {
    if (error instanceof MediaError) return { fault: error.fault };
    throw error;
  }
}

export function readerOf(content: Buffer): ReadAt {
  return (at, length) => Promise.resolve(content.subarray(at, at + length));
}

function isImage(type: ReturnType<typeof sniffType>): type is ImageType {
  return type?.startsWith("image/") ?? false;
}
