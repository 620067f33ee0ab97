/** Reads a media file's type, size and duration from its bytes; declared types are ignored. */
import { open } from "node:fs/promises";
import { assertContainerWhole } from "./container-boxes.ts";
import { imageSize } from "./image-header.ts";
import { MediaError } from "./media-error.ts";
import { SNIFF_BYTES, sniffType, type MediaType } from "./sniff.ts";
import type { VideoHeader } from "./decoder-protocol.ts";
import { windowedReader } from "./windowed-reader.ts";

export type MediaInfo = {
  contentType: MediaType;
  /** Pixels as displayed, rotation applied. */
  width: number;
  height: number;
  /** Videos only. */
  durationSeconds?: number;
  bytes: number;
};

const MAX_SIDE_PIXELS = 16_384;

/** Reads a video's header; throws a MediaError if it cannot. */
export type ReadHeader = (videoPath: string) => Promise<VideoHeader>;

/**
 * Throws a MediaError if the file is of another type than those stored, truncated or damaged. Only the outermost boxes
 * of a video and the header of an image are parsed in this process.
 */
export async function inspectMedia(path: string, readHeader: ReadHeader): Promise<MediaInfo> {
  await using file = await open(path, "r");
  const bytes = (await file.stat()).size;
  const read = windowedReader(file);
  const contentType = sniffType(await read(0, SNIFF_BYTES));
  if (contentType === undefined) {
    throw new MediaError("unknown_type", "the file is not MP4, WebM, PNG, JPEG or WebP");
  }
  const isVideo = contentType === "video/mp4" || contentType === "video/webm";
  if (isVideo) await assertContainerWhole(contentType, read, bytes);
  const info = isVideo ? await readHeader(path) : await imageSize(contentType, read, bytes);
  for (const pixels of [info.width, info.height]) {
    if (Number.isInteger(pixels) && pixels > 0 && pixels <= MAX_SIDE_PIXELS) continue;
    throw new MediaError("damaged", `a side of ${pixels} pixels`);
  }
  return { contentType, ...info, bytes };
}
