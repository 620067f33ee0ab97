/** Parses and decodes foreign files in confined processes: one each for videos' headers, their thumbnails and images. */
import { fileURLToPath } from "node:url";
import { installedVideoCodecs, type VideoCodecs } from "#runtime/video-codecs.ts";
import { isRoot } from "./confinement.ts";
import { MAX_WEBP_BYTES, type DecoderTask, type VideoHeader } from "./decoder-protocol.ts";
import { MediaError } from "./media-error.ts";
import { sniffType } from "./sniff.ts";
import { decoderQueue } from "./decoder-queue.ts";

export type MediaDecoder = AsyncDisposable & {
  /** Throws a MediaError if the video has no readable track, or its header takes too long or too much memory. */
  header: (videoPath: string) => Promise<VideoHeader>;
  /**
   * A JPEG, 640 pixels wide, of the first frame that is not black; undefined if the video cannot be decoded within the
   * limits. Never rejects.
   */
  thumbnail: (videoPath: string) => Promise<Uint8Array | undefined>;
  /**
   * A WebP of at most 40 kB. `undecodable` if the image is none that the decoder takes, `unfinished` if the decode took too
   * long or its process ended, which may be the machine's fault. Never rejects.
   */
  imageThumbnail: (imagePath: string) => Promise<Uint8Array | "undecodable" | "unfinished">;
};

export type MediaDecoderOptions = {
  /** The time limit for the thumbnail of one video, without the wait for others. */
  thumbnailTimeoutMs?: number;
  /** How long a process stays without a file: those that decode take about 150 MB each, the other 70 MB. */
  idleMs?: number;
  /** The id of the user, and of its group, that the processes run as where this one is root. */
  userId?: number;
  /** What decodes videos; with `none` they get no thumbnails. */
  codecs?: VideoCodecs;
};

const PROGRAM = fileURLToPath(new URL("./decoder-process.ts", import.meta.url));
const HEADER_TIMEOUT_MS = 10_000;
const THUMBNAIL_TIMEOUT_MS = 20_000;
const IMAGE_TIMEOUT_MS = 5_000;
const IDLE_MS = 30_000;
/** No user has it: Debian gives ids of this range out on demand. It is below 65,536, so containers have it too. */
export const DECODER_USER_ID = 64_200;

/**
 * A process starts with the first video, ends when there are none for a while, and is replaced after a video that
 * crashes or hangs it. They are processes and not threads because the decoder is native code that reads untrusted
 * files, and terminating a thread during a decode aborts the whole process. They are three, so that no header
 * waits for a decode, and no image for a video.
 */
export function createMediaDecoder({
  thumbnailTimeoutMs = THUMBNAIL_TIMEOUT_MS,
  idleMs = IDLE_MS,
  userId = DECODER_USER_ID,
  codecs = installedVideoCodecs(),
}: MediaDecoderOptions = {}): MediaDecoder {
  const user = isRoot() ? [String(userId)] : [];
  const stack = new AsyncDisposableStack();
  const queue = (task: DecoderTask, timeoutMs: number) =>
    stack.use(decoderQueue(PROGRAM, [task, ...user], { timeoutMs, idleMs }));
  const headers = queue("header", HEADER_TIMEOUT_MS);
  const thumbnails =
    codecs === "none" ? undefined : queue(`thumbnail-by-${codecs}`, thumbnailTimeoutMs);
  const images = queue("image", IMAGE_TIMEOUT_MS);
  return {
    async header(path) {
      const result = await headers.decode(path);
      if (result?.header && isHeader(result.header)) return result.header;
      throw new MediaError("damaged", result?.damaged ?? "the container cannot be read");
    },
    async thumbnail(path) {
      const result = await thumbnails?.decode(path);
      if (typeof result?.jpeg !== "string") return undefined;
      const picture = Buffer.from(result.jpeg, "base64");
      return sniffType(picture) === "image/jpeg" ? picture : undefined;
    },
    async imageThumbnail(path) {
      const result = await images.decode(path);
      if (!result) return "unfinished";
      if (typeof result.webp !== "string") return "undecodable";
      const picture = Buffer.from(result.webp, "base64");
      const isAsAsked = picture.byteLength <= MAX_WEBP_BYTES && sniffType(picture) === "image/webp";
      return isAsAsked ? picture : "undecodable";
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What a process says that a file may have taken over is not believed. */
function isHeader({ width, height, durationSeconds }: VideoHeader): boolean {
  return [width, height, durationSeconds].every(Number.isFinite);
}
