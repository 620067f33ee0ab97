/** Encodes a video by Debian's ffmpeg, which gets the frames over a pipe and ends with them. */
import { execFile } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { FFMPEG } from "#runtime/video-codecs.ts";
import type { Video } from "./video-file.ts";

export async function encode(
  path: string,
  video: Video,
  frames: Iterable<Uint8Array>,
): Promise<void> {
  const { width, height, framesPerSecond, quantizer } = video;
  const input = `-f rawvideo -pix_fmt rgba -video_size ${width}x${height} -framerate ${framesPerSecond} -i pipe:0`;
  const output = `-c:v libx264 -pix_fmt yuv420p -preset veryfast -bf 0 -qp ${quantizer} -movflags +faststart -f mp4`;
  const args = `-nostdin -loglevel error -protocol_whitelist pipe,file ${input} ${output}`;
  const run = promisify(execFile)(FFMPEG, [...args.split(" "), `file:${path}`], { env: {} });
  const { child } = run;
  if (child.stdin === null) throw new Error("ffmpeg has no input");
  const encoded = run.catch(({ stderr }: { stderr: string }) => {
    throw new Error(`ffmpeg cannot encode the clip: ${stderr.trim()}`);
  });
  const written = pipeline(Readable.from(frames), child.stdin).catch(
    (error: NodeJS.ErrnoException) => {
      child.kill("SIGKILL");
      // It has ended before: it says why.
      if (error.code !== "EPIPE") throw error;
    },
  );
  try {
    await Promise.all([written, encoded]);
  } finally {
    await Promise.allSettled([written, encoded]);
  }
}
