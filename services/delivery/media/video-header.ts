/** Reads a video's displayed size and its duration from the container, without decoding. */
import { EncodedPacketSink, Input, MP4, WEBM, type Source } from "mediabunny";
import type { VideoHeader } from "./decoder-protocol.ts";
import { MediaError } from "./media-error.ts";

/** Throws a MediaError if there is no readable video track. Runs in the decoding process only. */
export async function headerOf(source: Source): Promise<{ header: VideoHeader }> {
  using input = new Input({ source, formats: [MP4, WEBM] });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new MediaError("damaged", "the file has no video track");
  const width = await track.getDisplayWidth();
  const height = await track.getDisplayHeight();
  const first = await new EncodedPacketSink(track).getFirstPacket();
  const durationSeconds = await track.computeDuration();
  if (first === null || !(durationSeconds > 0)) {
    throw new MediaError("damaged", "the video track has no frames");
  }
  return {
    header: { width, height, durationSeconds: Math.round(durationSeconds * 1_000) / 1_000 },
  };
}
