/** Reads a video's displayed size and its duration from the container, without decoding. */
import { EncodedPacketSink, FilePathSource, Input, MP4, WEBM } from "mediabunny";
import { MediaError } from "./media-error.ts";

/** Width and height in pixels as displayed. Throws a MediaError if there is no readable video track. */
export async function readVideo(
  path: string,
): Promise<{ width: number; height: number; durationSeconds: number }> {
  using input = new Input({ source: new FilePathSource(path), formats: [MP4, WEBM] });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (track === null) throw new MediaError("damaged", "the file has no video track");
    const width = await track.getDisplayWidth();
    const height = await track.getDisplayHeight();
    const first = await new EncodedPacketSink(track).getFirstPacket();
    const durationSeconds = await track.computeDuration();
    if (first === null || !(durationSeconds > 0)) {
      throw new MediaError("damaged", "the video track has no frames");
    }
    return { width, height, durationSeconds: Math.round(durationSeconds * 1_000) / 1_000 };
  } catch (error) {
    if (error instanceof MediaError) throw error;
    throw new MediaError("damaged", "the container cannot be read", { cause: error });
  }
}
