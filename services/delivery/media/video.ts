/** What is read of a video without decoding it, and what its thumbnail needs. Runs in the decoding process only. */
import {
  EncodedPacketSink,
  Input,
  Mp4InputFormat,
  WEBM,
  type InputVideoTrack,
  type Source,
} from "mediabunny";
import type { VideoHeader } from "./confinement.ts";
import { damaged } from "./formats/format.ts";

/** RGBA, as displayed, of the thumbnail's size. */
export type ScaledFrame = { pixels: Uint8ClampedArray; width: number; height: number };

/** Frames at least `STEP_SECONDS` apart, of the first `MAX_SEARCH_SECONDS`. Ends whatever it started when it is left. */
export type ScaledFrames = (track: InputVideoTrack) => AsyncIterable<ScaledFrame>;

export const STEP_SECONDS = 0.2;
export const MAX_SEARCH_SECONDS = 6;
/** No frame is decoded that is larger: each takes up to 6 bytes a pixel, and a decoder keeps up to 16 of them. */
export const MAX_FRAME_PIXELS = 4_096 * 4_096;
const WIDTH_PIXELS = 640;
const MAX_HEIGHT_PIXELS = 4 * WIDTH_PIXELS;
/** Programs that do not know the duration write the largest number. */
const MAX_STATED_SECONDS = 12 * 60 * 60;

/** QuickTime too, and with any box before the first that names the type: its own check takes neither. */
class AnyMp4 extends Mp4InputFormat {
  _canReadInput(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

export const FORMATS = [WEBM, new AnyMp4()];

/** Displayed size and duration, by the container. Throws a MediaError if there is no readable track. */
export async function headerOf(source: Source): Promise<{ header: VideoHeader }> {
  using input = new Input({ source, formats: FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw damaged("the file has no video track");
  const width = await track.getDisplayWidth();
  const height = await track.getDisplayHeight();
  const first = await new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true });
  const seconds = first === null ? 0 : await secondsOf(input);
  if (!(seconds > 0)) throw damaged("the video track has no frames");
  return { header: { width, height, durationSeconds: Math.round(seconds * 1_000) / 1_000 } };
}

export function assertDecodable(width: number, height: number): void {
  if (width * height > MAX_FRAME_PIXELS) throw damaged(`frames of ${width} x ${height} pixels`);
}

export function thumbnailSize(displayWidth: number, displayHeight: number) {
  const height = Math.round((WIDTH_PIXELS * displayHeight) / displayWidth);
  return { width: WIDTH_PIXELS, height: Math.min(MAX_HEIGHT_PIXELS, Math.max(1, height)) };
}

/** As ffprobe and players say: of all tracks together, what the file says where it says it. */
async function secondsOf(input: Input): Promise<number> {
  const tracks = await input.getTracks();
  const start = await input.getFirstTimestamp(tracks);
  const stated = await input.getDurationFromMetadata(tracks);
  if (stated === null || stated > MAX_STATED_SECONDS)
    return (await input.computeDuration(tracks)) - start;
  // MP4 counts an empty beginning, and the library adds it for WebM, which counts from 0 too.
  return (await input.getFormat()) === WEBM ? stated - start : stated;
}
