/** The process that parses or decodes foreign files, one after another. It gets their bytes over its pipe. */
import { constants, getPriority, setPriority } from "node:os";
import { CustomSource } from "mediabunny";
import {
  MAX_READ_BYTES,
  readFrames,
  writeFrame,
  type DecoderMessage,
  type DecoderResult,
  type DecoderTask,
} from "./confinement.ts";
import { MediaError, type FileBytes } from "./formats/format.ts";

type Work = (file: FileBytes) => Promise<Omit<DecoderResult, "cpuMs">>;

/** A third of what the service gets where processors are short: what clients wait for comes first. */
const NICER_BY = 5;

setPriority(Math.min(getPriority() + NICER_BY, constants.priority.PRIORITY_LOW));
const [, , task, user] = process.argv as [string, string, DecoderTask, string | undefined];
const work = await workOf(task);
// Its code is loaded, and it has read nothing foreign. It cannot be undone.
if (user !== undefined) {
  process.setgroups?.([Number(user)]);
  process.setgid?.(Number(user));
  process.setuid?.(Number(user));
}

const reads: PromiseWithResolvers<Buffer>[] = [];

function send(message: DecoderMessage): void {
  writeFrame(process.stdout, Buffer.from(JSON.stringify(message)));
}

async function read(at: number, length: number): Promise<Buffer> {
  const asked = Promise.withResolvers<Buffer>();
  reads.push(asked);
  send({ read: { at, length } });
  const bytes = await asked.promise;
  if (bytes.byteLength !== length) throw new Error("the file cannot be read");
  return bytes;
}

/** Loads only the code that the task needs. */
async function workOf(named: DecoderTask): Promise<Work> {
  if (named === "image") return (await import("./image-thumbnail.ts")).imageThumbnailOf;
  if (named === "header") {
    const { headerOf } = await import("./video.ts");
    return (file) => headerOf(sourceOf(file));
  }
  const [{ videoThumbnailOf }, { scaledFrames }] = await Promise.all([
    import("./video-thumbnail.ts"),
    named === "thumbnail-by-library"
      ? import("./frames-by-library.ts")
      : import("./frames-by-ffmpeg.ts"),
  ]);
  return (file) => videoThumbnailOf(sourceOf(file), scaledFrames);
}

function sourceOf({ bytes, read }: FileBytes): CustomSource {
  return new CustomSource({
    getSize: () => bytes,
    read: (start, end) => read(start, end - start),
    prefetchProfile: "fileSystem",
    handleUnhandledError: () => {},
  });
}

async function run(bytes: number): Promise<void> {
  const result = await work({ bytes, read }).catch((error: unknown) => ({
    damaged: error instanceof MediaError ? error.message : "the file cannot be read",
  }));
  const { user: userUs, system } = process.cpuUsage();
  send({ ...result, cpuMs: Math.round((userUs + system) / 1000) });
}

for await (const frame of readFrames(process.stdin, MAX_READ_BYTES)) {
  const asked = reads.shift();
  if (asked) asked.resolve(frame);
  else void run(Number(frame.toString()));
}
// The service is gone. A hanging decode would outlive it.
process.kill(process.pid, "SIGKILL");
