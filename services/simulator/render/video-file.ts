/** Writes RGBA frames as an H.264 MP4 whose index comes first, so that it streams. */
import { installedVideoCodecs } from "#runtime/video-codecs.ts";

export type Video = {
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly framesPerSecond: number;
  /** H.264's scale: 0 is lossless, 51 the worst. */
  readonly quantizer: number;
  /** The pixels of one frame, in a buffer of its own. */
  draw(frame: number): Uint8Array;
};

/** Writes the clip to `path`. `isAbandoned` is asked before each frame; then it throws. */
export async function writeVideo(
  path: string,
  video: Video,
  isAbandoned: () => boolean,
  codecs = installedVideoCodecs(),
): Promise<void> {
  if (codecs === "none") {
    throw new Error("no video can be encoded: install ffmpeg or @mediabunny/server");
  }
  const { encode } = await (codecs === "library"
    ? import("./video-by-library.ts")
    : import("./video-by-ffmpeg.ts"));
  await encode(path, video, drawn(video, isAbandoned));
}

function* drawn(video: Video, isAbandoned: () => boolean): Generator<Uint8Array> {
  for (let frame = 0; frame < video.frameCount; frame++) {
    if (isAbandoned()) throw new Error("the render was abandoned");
    yield video.draw(frame);
  }
}
