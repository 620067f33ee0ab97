/** Decodes a video for its thumbnail: a JPEG of the first bright frame. Runs in the decoding process only. */
import { registerMediabunnyServer } from "@mediabunny/server";
import { createCanvas } from "@napi-rs/canvas";
import type { Source, VideoSample } from "mediabunny";
import { Input, MP4, VideoSampleSink, WEBM } from "mediabunny";
import { MediaError } from "./media-error.ts";

const WIDTH_PIXELS = 640;
const MAX_HEIGHT_PIXELS = 4 * WIDTH_PIXELS;
const JPEG_QUALITY = 82;
const STEP_SECONDS = 0.2;
const MAX_SEARCH_SECONDS = 6;
const PROBE_STRIDE_PIXELS = 17;
const DARK_LUMA = 40;
const MIN_BRIGHT_SHARE = 0.1;

// The types lack this field.
const RGBA: VideoFrameCopyToOptions & { format: string } = { format: "RGBA" };

type ScaledFrame = { pixels: Uint8ClampedArray; width: number; height: number };

// Probing for graphics hardware is slow and noisy, and one small decode does not need it.
registerMediabunnyServer({ hardwareContext: null });

/** No frame is decoded that is larger: each takes up to 6 bytes a pixel, and a decoder keeps up to 16 of them. */
const MAX_FRAME_PIXELS = 4_096 * 4_096;

export async function videoThumbnailOf(source: Source): Promise<{ jpeg?: string }> {
  using input = new Input({ source, formats: [MP4, WEBM] });
  const track = await input.getPrimaryVideoTrack();
  if (track === null || !(await track.canDecode())) return {};
  assertDecodable(await track.getCodedWidth(), await track.getCodedHeight());
  const begin = await track.getFirstTimestamp();
  const end = Math.min(await track.computeDuration(), begin + MAX_SEARCH_SECONDS);
  const frames = new VideoSampleSink(track).samplesAtTimestamps(steps(begin, end));
  const frame = await firstBright(frames);
  return frame ? { jpeg: await toJpeg(frame) } : {};
}

function assertDecodable(width: number, height: number): void {
  if (width * height > MAX_FRAME_PIXELS) {
    throw new MediaError("damaged", `frames of ${width} x ${height} pixels`);
  }
}

function* steps(begin: number, end: number): Generator<number> {
  for (let at = begin; at < end; at += STEP_SECONDS) yield at;
}

/** The first frame that is bright enough, scaled; if there is none, the brightest. */
async function firstBright(
  frames: AsyncIterable<VideoSample | null>,
): Promise<ScaledFrame | undefined> {
  let best: ScaledFrame | undefined;
  let bestShare = -1;
  for await (const found of frames) {
    if (found === null) continue;
    using frame = found;
    // The stream may say another size than the container.
    assertDecodable(frame.codedWidth, frame.codedHeight);
    const picture = await scaled(frame, WIDTH_PIXELS, thumbnailHeight(frame));
    const share = brightShare(picture);
    if (share <= bestShare) continue;
    best = picture;
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

function thumbnailHeight(frame: VideoSample): number {
  const height = Math.round((WIDTH_PIXELS * frame.displayHeight) / frame.displayWidth);
  return Math.min(MAX_HEIGHT_PIXELS, Math.max(1, height));
}

/** NOTE: `transform` consumes the frame's content; a frame can be scaled only once. */
async function scaled(frame: VideoSample, width: number, height: number): Promise<ScaledFrame> {
  using small = await frame.transform({ width, height, fit: "fill" });
  const pixels = new Uint8ClampedArray(small.codedWidth * small.codedHeight * 4);
  await small.copyTo(pixels, RGBA);
  return { pixels, width: small.codedWidth, height: small.codedHeight };
}

/** As base64. */
async function toJpeg({ pixels, width, height }: ScaledFrame): Promise<string> {
  const context = createCanvas(width, height).getContext("2d");
  const image = context.createImageData(width, height);
  image.data.set(pixels);
  context.putImageData(image, 0, 0);
  return (await context.canvas.encode("jpeg", JPEG_QUALITY)).toString("base64");
}
