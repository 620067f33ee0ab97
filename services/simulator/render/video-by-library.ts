/** Encodes a video in this process, by the library that npm brings. The image does not have it. */
import { writeFile } from "node:fs/promises";
import { registerMediabunnyServer } from "@mediabunny/server";
import {
  BufferTarget,
  Mp4OutputFormat,
  Output,
  Quality,
  VideoSample,
  VideoSampleSource,
} from "mediabunny";
import type { Video } from "./video-file.ts";

registerMediabunnyServer();

export async function encode(
  path: string,
  video: Video,
  frames: Iterable<Uint8Array>,
): Promise<void> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const quality = new Quality({ quantizer: video.quantizer });
  const source = new VideoSampleSource({
    codec: "avc",
    quality,
    latencyMode: "realtime",
    hardwareAcceleration: "prefer-software",
  });
  output.addVideoTrack(source, { frameRate: video.framesPerSecond });
  let frame = 0;
  try {
    await output.start();
    for (const picture of frames) {
      using sample = new VideoSample(picture, {
        format: "RGBA",
        codedWidth: video.width,
        codedHeight: video.height,
        timestamp: frame++ / video.framesPerSecond,
        duration: 1 / video.framesPerSecond,
      });
      await source.add(sample);
    }
    await output.finalize();
  } catch (error) {
    await output.cancel();
    throw error;
  }
  if (target.buffer === null) throw new Error("the encoder wrote nothing");
  await writeFile(path, new Uint8Array(target.buffer));
}
