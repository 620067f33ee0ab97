/** Reads a picture's type and size from its bytes. */
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
  const readAt = (at: number, length: number): Promise<Buffer> =>
    Promise.resolve(content.subarray(at, at + length));
  try {
    const { width, height } = await imageSize(contentType, readAt, content.byteLength);
    const pixels = width * height;
    if (pixels === 0 || pixels > maxPixels) return { fault: `${width}x${height} pixels` };
    return { contentType, width, height };
  } catch (error) {
    if (error instanceof MediaError) return { fault: error.fault };
    throw error;
  }
}

function isImage(type: ReturnType<typeof sniffType>): type is ImageType {
  return type?.startsWith("image/") ?? false;
}
