/** Encodes I420 frames into an H.264 MP4 whose index stands in front, so that it streams. */
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

registerMediabunnyServer();

export type Video = {
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly framesPerSecond: number;
  /** H.264's scale: 0 is lossless, 51 the worst. */
  readonly quantizer: number;
  /** The picture of one frame; the buffer may be used again for the next. */
  draw(frame: number): Uint8Array;
};

/** Writes the clip to `path`. `isAbandoned` is asked before each frame; then it throws. */
export async function writeVideo(
  path: string,
  video: Video,
  isAbandoned: () => boolean,
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
  try {
    await output.start();
    for (let frame = 0; frame < video.frameCount; frame++) {
      if (isAbandoned()) throw new Error("the render was abandoned");
      using sample = new VideoSample(video.draw(frame), {
        format: "I420",
        codedWidth: video.width,
        codedHeight: video.height,
        timestamp: frame / video.framesPerSecond,
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
