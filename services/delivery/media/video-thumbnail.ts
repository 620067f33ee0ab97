/** Makes a video's thumbnail: a JPEG of the first bright frame. Runs in the decoding process only. */
import { createCanvas } from "@napi-rs/canvas";
import { Input, MP4, WEBM, type Source } from "mediabunny";
import { assertDecodable, type ScaledFrame, type ScaledFrames } from "./scaled-frames.ts";

const JPEG_QUALITY = 82;
const PROBE_STRIDE_PIXELS = 17;
const DARK_LUMA = 40;
const MIN_BRIGHT_SHARE = 0.1;

export async function videoThumbnailOf(
  source: Source,
  scaledFrames: ScaledFrames,
): Promise<{ jpeg?: string }> {
  using input = new Input({ source, formats: [MP4, WEBM] });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) return {};
  assertDecodable(await track.getCodedWidth(), await track.getCodedHeight());
  const frame = await firstBright(scaledFrames(track));
  return frame ? { jpeg: await toJpeg(frame) } : {};
}

/** The first frame that is bright enough; if there is none, the brightest. */
async function firstBright(frames: AsyncIterable<ScaledFrame>): Promise<ScaledFrame | undefined> {
  let best: ScaledFrame | undefined;
  let bestShare = -1;
  for await (const frame of frames) {
    const share = brightShare(frame);
    if (share <= bestShare) continue;
    best = frame;
    bestShare = share;
    if (share >= MIN_BRIGHT_SHARE) break;
  }
  return best;
}

/** The share of pixels that are not nearly black, 0 to 1. */
function brightShare({ pixels }: ScaledFrame): number {
  let bright = 0;
  let probed = 0;
  for (let at = 0; at < pixels.byteLength; at += 4 * PROBE_STRIDE_PIXELS) {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(at, at + 3);
    if (0.299 * red + 0.587 * green + 0.114 * blue > DARK_LUMA) bright += 1;
    probed += 1;
  }
  return bright / probed;
}

/** Returns the JPEG as base64. */
async function toJpeg({ pixels, width, height }: ScaledFrame): Promise<string> {
  const context = createCanvas(width, height).getContext("2d");
  const image = context.createImageData(width, height);
  image.data.set(pixels);
  context.putImageData(image, 0, 0);
  return (await context.canvas.encode("jpeg", JPEG_QUALITY)).toString("base64");
}
