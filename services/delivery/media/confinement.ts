/**
 * How a program that reads foreign files is started: with limits, without environment, where the kernel lets it without
 * network; and what it and its parent say to each other over its pipe.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { VideoCodecs } from "#runtime/video-codecs.ts";
import type { Size } from "./formats/format.ts";

export type Confined = ChildProcessByStdio<Writable, Readable, null>;

/**
 * Processor time of one process, in seconds, after which the kernel ends it. Its parent ends a hanging one before; this
 * holds when the parent is gone or paused.
 */
const CPU_SECONDS = 120;
/**
 * Writable memory, in KiB. Of it Node reserves 540 MB for compiled code, which it does not use, and libraries take
 * 100 MB. Linux enforces it; macOS ignores it.
 */
const MEMORY_KIB = 1_500_000;
const MAX_HEAP_MB = 256;
const MAX_OPEN_FILES = 64;

/** A limit that the system does not know, or that is lower already, is left out. */
const LIMITS = [
  "ulimit -c 0",
  "ulimit -f 0",
  `ulimit -t ${CPU_SECONDS}`,
  `ulimit -n ${MAX_OPEN_FILES}`,
  `ulimit -d ${MEMORY_KIB}`,
].map((limit) => `${limit} 2>/dev/null`);

/**
 * Runs a TypeScript file with this Node. The limits are set by the shell, because Node sets none. A network namespace
 * of its own has no interface but an unused loopback. Root may make one; others make a user namespace with it, which
 * the default seccomp profiles of Docker and Kubernetes refuse: there the program keeps the network.
 */
export function startConfined(program: string, args: readonly string[]): Confined {
  const node = [process.execPath, `--max-old-space-size=${MAX_HEAP_MB}`, program, ...args];
  const unshare = isRoot() ? "unshare --net" : "unshare --user --net";
  const withoutNetwork = `${unshare} true 2>/dev/null && exec ${unshare} "$0" "$@"`;
  const script = [...LIMITS, withoutNetwork, 'exec "$0" "$@"'].join("; ");
  return spawn("/bin/sh", ["-c", script, ...node], {
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** Whether this process may choose the user of another: it was started as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** `header`: size and duration of a video. `thumbnail-by-…`: a JPEG of a frame, and by what. `image`: a small WebP. */
export type DecoderTask = "header" | `thumbnail-by-${Exclude<VideoCodecs, "none">}` | "image";

/**
 * To the process: the length of a file, as text. After that only what `read` asks for, in its order; nothing: too much.
 * From the process: it wants the `length` bytes from `at`, or has ended with the file.
 */
export type DecoderMessage = { read: { at: number; length: number } } | DecoderResult;

export type DecoderResult = {
  header?: VideoHeader;
  /** Why there is no header. */
  damaged?: string;
  /** The thumbnail, in base64: a JPEG of a video, a WebP of an image. */
  picture?: string;
  /** The processor time that the process has used since it began. */
  cpuMs: number;
};

/** Its pixels as displayed. */
export type VideoHeader = Size & { durationSeconds: number };

/** With its mark of AI-generated content a thumbnail has at most 40,000. */
export const MAX_WEBP_BYTES = 39_000;
/** What the parser may ask for at once: the index of a video of several hours has this length. */
export const MAX_READ_BYTES = 32 * 1024 * 1024;
/** The longest message of the process: a thumbnail. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Of a message, before it. */
const LENGTH_BYTES = 4;

export function writeFrame(to: Writable, payload: Uint8Array): void {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(payload.byteLength);
  to.write(length);
  to.write(payload);
}

/** Ends with the stream. Throws at a longer payload than `maxBytes`, before it is read. */
export async function* readFrames(from: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  const take = takeFrom(from);
  for (let head = await take(LENGTH_BYTES); head; head = await take(LENGTH_BYTES)) {
    const length = head.readUInt32BE();
    if (length > maxBytes) throw new Error(`a message of ${length} bytes`);
    const payload = await take(length);
    if (!payload) return;
    yield payload;
  }
}

/** What is returned gives the next bytes, as many as are asked for; undefined if the stream ends before. */
export function takeFrom(from: Readable): (bytes: number) => Promise<Buffer | undefined> {
  const chunks = (from as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let held: Buffer[] = [];
  let heldBytes = 0;
  return async (bytes) => {
    while (heldBytes < bytes) {
      const { value, done } = await chunks.next();
      if (done) return undefined;
      held.push(value);
      heldBytes += value.byteLength;
    }
    const all = Buffer.concat(held);
    held = [all.subarray(bytes)];
    heldBytes -= bytes;
    return all.subarray(0, bytes);
  };
}
