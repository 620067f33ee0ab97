/** Decodes a frame in this process, by the library that npm brings. The image does not have it. */
import { registerMediabunnyServer } from "@mediabunny/server";
import { VideoSampleSink } from "mediabunny";
import { assertDecodable, thumbnailSize, type FirstFrame } from "./video.ts";

// The types lack this field.
const RGBA: VideoFrameCopyToOptions & { format: string } = { format: "RGBA" };

// Probing for graphics hardware is slow and noisy, and one small decode does not need it.
registerMediabunnyServer({ hardwareContext: null });

export const firstFrame: FirstFrame = async (track) => {
  if (!(await track.canDecode())) return undefined;
  using frame = await new VideoSampleSink(track).getSample(await track.getFirstTimestamp());
  if (frame === null) return undefined;
  // The stream may say another size than the container.
  assertDecodable(frame.codedWidth, frame.codedHeight);
  const size = thumbnailSize(frame.displayWidth, frame.displayHeight);
  using small = await frame.transform({ ...size, fit: "fill" });
  const { codedWidth: width, codedHeight: height } = small;
  const pixels = new Uint8Array(width * height * 4);
  await small.copyTo(pixels, RGBA);
  return { pixels, width, height };
};
