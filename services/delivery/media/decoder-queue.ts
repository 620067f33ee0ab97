/** Gives files to a confined process, one at a time, and serves what it reads of them. */
import { open, type FileHandle } from "node:fs/promises";
import { startConfined, type Confined } from "./confinement.ts";
import {
  MAX_MESSAGE_BYTES,
  MAX_READ_BYTES,
  type DecoderMessage,
  type FileMessage,
  type DecoderResult,
} from "./decoder-protocol.ts";
import { readFrames, writeFrame } from "./frames.ts";

export type DecoderQueue = AsyncDisposable & {
  /** Undefined if the process ended, or took too long: it is killed then. Never rejects. */
  decode: (path: string) => Promise<DecoderResult | undefined>;
};

type QueueOptions = {
  /** The time for one file, without the wait for others. */
  timeoutMs: number;
  /** How long the process stays without a file. */
  idleMs: number;
};

/** A process that has used this much processor time gets no further file, so that none is near its limit. */
const MAX_CPU_MS = 30_000;

/** A running process, and its messages. */
type Decoder = { process: Confined; messages: AsyncGenerator<Buffer>; exited: Promise<unknown> };

export function decoderQueue(
  program: string,
  args: readonly string[],
  { timeoutMs, idleMs }: QueueOptions,
): DecoderQueue {
  let decoder: Decoder | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  async function leave(current: Decoder): Promise<void> {
    if (decoder === current) decoder = undefined;
    current.process.kill("SIGKILL");
    await current.exited;
  }
  async function decode(path: string): Promise<DecoderResult | undefined> {
    if (isClosed) return undefined;
    clearTimeout(idleTimer);
    const file = await open(path, "r").catch(() => undefined);
    if (!file) return undefined;
    await using _file = file;
    if (isClosed) return undefined;
    const current = (decoder ??= startDecoder(program, args));
    const timer = setTimeout(() => current.process.kill("SIGKILL"), timeoutMs);
    const result = await exchange(current, file).catch(() => undefined);
    clearTimeout(timer);
    if (!result || result.cpuMs > MAX_CPU_MS) await leave(current);
    else idleTimer = setTimeout(() => void leave(current), idleMs).unref();
    return result;
  }
  return {
    decode(path) {
      const result = last.then(() => decode(path)).catch(() => undefined);
      last = result;
      return result;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(idleTimer);
      if (decoder) await leave(decoder);
      await last;
    },
  };
}

function startDecoder(program: string, args: readonly string[]): Decoder {
  const started = startConfined(program, args);
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
async function exchange({ process, messages }: Decoder, file: FileHandle): Promise<DecoderResult> {
  const { size } = await file.stat();
  const message: FileMessage = { bytes: size };
  writeFrame(process.stdin, Buffer.from(JSON.stringify(message)));
  for (;;) {
    const { value, done } = await messages.next();
    if (done) throw new Error("the decoding process has ended");
    const said = JSON.parse((value as Buffer).toString()) as DecoderMessage;
    if (!("read" in said)) return said;
    writeFrame(process.stdin, await bytesOf(file, said.read));
  }
}

/** The bytes it asks for; empty if it asks for too much, or the file is shorter. */
async function bytesOf(
  file: FileHandle,
  { start, end }: { start: number; end: number },
): Promise<Uint8Array> {
  if (!(start >= 0 && end > start && end - start <= MAX_READ_BYTES)) return new Uint8Array();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
  return bytesRead === end - start ? buffer : new Uint8Array();
}
