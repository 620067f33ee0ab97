/** Makes a video's thumbnail: a JPEG of the first bright frame. Runs in the decoding process only. */
import { createCanvas } from "@napi-rs/canvas";
import { Input, type Source } from "mediabunny";
import { assertDecodable, FORMATS, type ScaledFrame, type ScaledFrames } from "./video.ts";

const JPEG_QUALITY = 82;
const PROBE_STRIDE_PIXELS = 17;
const DARK_LUMA = 40;
const MIN_BRIGHT_SHARE = 0.1;

/** A JPEG of the first bright frame, as base64; if there is none, of the brightest. */
export async function videoThumbnailOf(
  source: Source,
  scaledFrames: ScaledFrames,
): Promise<{ picture?: string }> {
  using input = new Input({ source, formats: FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) return {};
  assertDecodable(await track.getCodedWidth(), await track.getCodedHeight());
  let best: ScaledFrame | undefined;
  let bestShare = -1;
  for await (const frame of scaledFrames(track)) {
    const share = brightShare(frame);
    if (share <= bestShare) continue;
    best = frame;
    bestShare = share;
    if (share >= MIN_BRIGHT_SHARE) break;
  }
  return best ? { picture: await toJpeg(best) } : {};
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

async function toJpeg({ pixels, width, height }: ScaledFrame): Promise<string> {
  const context = createCanvas(width, height).getContext("2d");
  const image = context.createImageData(width, height);
  image.data.set(pixels);
  context.putImageData(image, 0, 0);
  return (await context.canvas.encode("jpeg", JPEG_QUALITY)).toString("base64");
}
