/** Reads foreign files in confined processes: one each for the headers of videos, their thumbnails and images. */
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
import { installedVideoCodecs, type VideoCodecs } from "#runtime/video-codecs.ts";
import {
  isRoot,
  startConfined,
  MAX_MESSAGE_BYTES,
  MAX_READ_BYTES,
  MAX_WEBP_BYTES,
  readFrames,
  writeFrame,
  type DecoderMessage,
  type DecoderResult,
  type DecoderTask,
  type VideoHeader,
} from "./confinement.ts";
import type { FileBytes } from "./formats/format.ts";
import { MediaError, sniffType, type MediaType } from "./inspect.ts";

export type MediaDecoder = ReturnType<typeof createMediaDecoder>;

export type MediaDecoderOptions = {
  /** The time limits for one file, without the wait for others, where they are not the usual ones. */
  timeoutsMs?: Partial<typeof TIMEOUTS_MS>;
  /** How long a process stays without a file: those that decode take about 150 MB each, the other 70 MB. */
  idleMs?: number;
  /** What decodes videos; with `none` they get no thumbnails. */
  codecs?: VideoCodecs;
};

const PROGRAM = fileURLToPath(new URL("./decoder-process.ts", import.meta.url));
/** The first file of a process has `start` more: it loads its code then, and gives way to all others meanwhile. */
const TIMEOUTS_MS = { start: 30_000, header: 10_000, thumbnail: 20_000, image: 5_000 };
const IDLE_MS = 30_000;
/**
 * The user and group of the processes, where this one is root. Debian gives ids of this range out on demand, so nobody
 * has it. It is below 65,536, so containers have it too.
 */
export const DECODER_USER_ID = 64_200;

/**
 * A process starts with the first video, ends when there are none for a while, and is replaced after a video that
 * crashes or hangs it. They are processes and not threads because the decoder is native code that reads untrusted
 * files, and terminating a thread during a decode aborts the whole process. They are three, so that no header
 * waits for a decode, and no image for a video.
 */
export function createMediaDecoder({
  timeoutsMs,
  idleMs = IDLE_MS,
  codecs = installedVideoCodecs(),
}: MediaDecoderOptions = {}) {
  const { start, header, thumbnail, image } = { ...TIMEOUTS_MS, ...timeoutsMs };
  const user = isRoot() ? [String(DECODER_USER_ID)] : [];
  const stack = new AsyncDisposableStack();
  const queue = (task: DecoderTask, timeoutMs: number) =>
    stack.use(decoderQueue([task, ...user], { timeoutMs, startMs: start, idleMs }));
  const headers = queue("header", header);
  const thumbnails = codecs === "none" ? undefined : queue(`thumbnail-by-${codecs}`, thumbnail);
  const images = queue("image", image);
  return {
    /** Throws a MediaError if the video has no readable track, or its header takes too long or too much memory. */
    header: async (video: FileBytes): Promise<VideoHeader> => {
      const result = await headers.decode(video);
      if (result?.header) return result.header;
      if (result) throw new MediaError("damaged", result.damaged ?? "no header");
      throw new MediaError("unfinished", "the header was not read in time");
    },
    /** A JPEG, 640 pixels wide, of the first frame that is not black; undefined if there is none. Never rejects. */
    thumbnail: async (video: FileBytes): Promise<Uint8Array | undefined> => {
      const result = await thumbnails?.decode(video);
      return result && pictureIn(result, "image/jpeg", Infinity);
    },
    /**
     * A WebP of at most 40 kB. `undecodable` if the image is none that the decoder takes, `unfinished` if the decode took
     * too long or its process ended, which may be the machine's fault. Never rejects.
     */
    imageThumbnail: async (
      image: FileBytes,
    ): Promise<Uint8Array | "undecodable" | "unfinished"> => {
      const result = await images.decode(image);
      if (!result) return "unfinished";
      return pictureIn(result, "image/webp", MAX_WEBP_BYTES) ?? "undecodable";
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** What a process says that a file may have taken over is not believed. */
function pictureIn({ picture }: DecoderResult, type: MediaType, maxBytes: number) {
  const bytes = typeof picture === "string" ? Buffer.from(picture, "base64") : Buffer.alloc(0);
  return bytes.byteLength <= maxBytes && sniffType(bytes) === type ? bytes : undefined;
}

/** `timeoutMs`: for one file, without the wait for others; `startMs`: what the first file of a process has besides. */
type QueueOptions = { timeoutMs: number; startMs: number; idleMs: number };

/** A process that has used this much processor time gets no further file, so that none is near its limit. */
const MAX_CPU_MS = 30_000;

type Decoder = ReturnType<typeof startDecoder>;

/** Gives files to a confined process, one at a time, and serves what it reads of them. */
function decoderQueue(args: readonly string[], { timeoutMs, startMs, idleMs }: QueueOptions) {
  let decoder: Decoder | undefined;
  const oneAtATime = pLimit(1);
  let isClosed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  async function leave(current: Decoder): Promise<void> {
    if (decoder === current) decoder = undefined;
    current.process.kill("SIGKILL");
    // A stream that is not read to its end stays open.
    current.process.stdout.destroy();
    await current.exited;
  }
  async function decode(file: FileBytes): Promise<DecoderResult | undefined> {
    if (isClosed) return undefined;
    clearTimeout(idleTimer);
    const limitMs = decoder ? timeoutMs : startMs + timeoutMs;
    const current = (decoder ??= startDecoder(args));
    const timer = setTimeout(() => current.process.kill("SIGKILL"), limitMs);
    const result = await exchange(current, file).catch(() => undefined);
    clearTimeout(timer);
    if (!result || result.cpuMs > MAX_CPU_MS) await leave(current);
    else idleTimer = setTimeout(() => void leave(current), idleMs).unref();
    return result;
  }
  return {
    /** Undefined if the process ended, or took too long: it is killed then. Never rejects. */
    decode: (file: FileBytes) => oneAtATime(decode, file).catch(() => undefined),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(idleTimer);
      if (decoder) await leave(decoder);
      await oneAtATime(() => {});
    },
  };
}

function startDecoder(args: readonly string[]) {
  const started = startConfined(PROGRAM, args);
  // If it cannot start, or has ended, its pipes say so.
  started.on("error", () => {});
  started.stdin.on("error", () => {});
  const exited = new Promise<void>((resolve) => {
    if (started.pid === undefined) resolve();
    else started.once("exit", () => resolve());
  });
  return { process: started, messages: readFrames(started.stdout, MAX_MESSAGE_BYTES), exited };
}

/** One file. Throws if the process ends, or says what no decoder says. */
async function exchange({ process, messages }: Decoder, file: FileBytes): Promise<DecoderResult> {
  writeFrame(process.stdin, Buffer.from(String(file.bytes)));
  for (;;) {
    const { value, done } = await messages.next();
    if (done) throw new Error("the decoding process has ended");
    const said = JSON.parse((value as Buffer).toString()) as DecoderMessage;
    if (!("read" in said)) return said;
    const { at, length } = said.read;
    const isWithinLimits = at >= 0 && length > 0 && length <= MAX_READ_BYTES;
    writeFrame(process.stdin, isWithinLimits ? await file.read(at, length) : Buffer.alloc(0));
  }
}
