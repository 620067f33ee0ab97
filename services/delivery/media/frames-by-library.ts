/** Decodes frames in this process, by the library that npm brings. The image does not have it. */
import { registerMediabunnyServer } from "@mediabunny/server";
import { VideoSampleSink, type InputVideoTrack } from "mediabunny";
import {
  assertDecodable,
  MAX_SEARCH_SECONDS,
  STEP_SECONDS,
  thumbnailSize,
  type ScaledFrame,
} from "./video.ts";

// The types lack this field.
const RGBA: VideoFrameCopyToOptions & { format: string } = { format: "RGBA" };

// Probing for graphics hardware is slow and noisy, and one small decode does not need it.
registerMediabunnyServer({ hardwareContext: null });

export async function* scaledFrames(track: InputVideoTrack): AsyncGenerator<ScaledFrame> {
  if (!(await track.canDecode())) return;
  const begin = await track.getFirstTimestamp();
  let next = begin;
  for await (const found of new VideoSampleSink(track).samples(begin, begin + MAX_SEARCH_SECONDS)) {
    using frame = found;
    if (frame.timestamp < next) continue;
    next = frame.timestamp + STEP_SECONDS;
    // The stream may say another size than the container.
    assertDecodable(frame.codedWidth, frame.codedHeight);
    const size = thumbnailSize(frame.displayWidth, frame.displayHeight);
    using small = await frame.transform({ ...size, fit: "fill" });
    const pixels = new Uint8ClampedArray(small.codedWidth * small.codedHeight * 4);
    await small.copyTo(pixels, RGBA);
    yield { pixels, width: small.codedWidth, height: small.codedHeight };
  }
}
