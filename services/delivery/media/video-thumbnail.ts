/** Makes a video's thumbnail: a JPEG of its first frame. Runs in the decoding process only. */
import { createCanvas } from "@napi-rs/canvas";
import { Input, type Source } from "mediabunny";
import { assertDecodable, FORMATS, type FirstFrame } from "./video.ts";

const JPEG_QUALITY = 82;

/** In base64; nothing if there is no frame. */
export async function videoThumbnailOf(
  source: Source,
  firstFrame: FirstFrame,
): Promise<{ picture?: string }> {
  using input = new Input({ source, formats: FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) return {};
  assertDecodable(await track.getCodedWidth(), await track.getCodedHeight());
  const frame = await firstFrame(track);
  if (frame === undefined) return {};
  const context = createCanvas(frame.width, frame.height).getContext("2d");
  const image = context.createImageData(frame.width, frame.height);
  image.data.set(frame.pixels);
  context.putImageData(image, 0, 0);
  return { picture: (await context.canvas.encode("jpeg", JPEG_QUALITY)).toString("base64") };
}
