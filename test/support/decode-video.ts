/** Decodes a video's frames, for tests of what was drawn. */
import { registerMediabunnyServer } from "@mediabunny/server";
import { ALL_FORMATS, BufferSource, Input, VideoSampleSink } from "mediabunny";
import { expect } from "vitest";

registerMediabunnyServer();

export async function decodeVideo(file: Uint8Array) {
  using input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error("there is no video track");
  const frames: Uint8Array[] = [];
  const sink = new VideoSampleSink(track, { hardwareAcceleration: "prefer-software" });
  for await (const sample of sink.samples()) {
    const pixels = new Uint8Array(sample.allocationSize());
    await sample.copyTo(pixels);
    expect(sample.format).toBe("I420");
    frames.push(pixels);
    sample.close();
  }
  return {
    frames,
    codec: await track.getCodec(),
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
    durationSeconds: await input.computeDuration(),
  };
}

/** The mean difference of two frames' bytes. */
export function difference(
  one: Uint8Array = new Uint8Array(),
  other: Uint8Array = new Uint8Array(),
): number {
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length;
}
