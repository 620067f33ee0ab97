/** Makes small but real media files for tests: H.264 or VP9 videos of flat colours, and images. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createCanvas } from "@napi-rs/canvas";

export type MakeVideo = {
  width?: number;
  height?: number;
  durationSeconds?: number;
  framesPerSecond?: number;
  /** How long the video is black at its beginning. */
  blackSeconds?: number;
  container?: "mp4" | "webm";
  /** The clockwise rotation that players apply, in degrees. */
  rotation?: 0 | 90 | 180 | 270;
  /** The colour of the lower half, if it is not orange. */
  lowerHalf?: string;
};

const USUAL = { width: 320, height: 180, durationSeconds: 1, blackSeconds: 0, framesPerSecond: 10 };

const CACHE = fileURLToPath(new URL("../../.cache/test-media/", import.meta.url));
const OWN_CODE = readFileSync(fileURLToPath(import.meta.url));

/**
 * A video that is black for `blackSeconds` and then orange, or has a lower half of another colour. It is encoded once, and
 * kept: only that loads an encoder.
 */
export async function makeVideo(options: MakeVideo = {}): Promise<Uint8Array> {
  const hash = createHash("sha256").update(OWN_CODE).update(JSON.stringify(options));
  const path = `${CACHE}${hash.digest("hex")}`;
  const known = await readFile(path).catch(() => undefined);
  if (known) return new Uint8Array(known);
  const video = await encode(options);
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(`${path}.${process.pid}`, video);
  renameSync(`${path}.${process.pid}`, path);
  return video;
}

async function encode(options: MakeVideo): Promise<Uint8Array> {
  const { width, height, durationSeconds, blackSeconds, framesPerSecond } = {
    ...USUAL,
    ...options,
  };
  const media = await import("mediabunny");
  const { registerMediabunnyServer } = await import("@mediabunny/server");
  registerMediabunnyServer({ hardwareContext: null });
  const isWebm = options.container === "webm";
  const target = new media.BufferTarget();
  const format = isWebm
    ? new media.WebMOutputFormat()
    : new media.Mp4OutputFormat({ fastStart: "in-memory" });
  const output = new media.Output({ format, target });
  const source = new media.VideoSampleSource({ codec: isWebm ? "vp9" : "avc", bitrate: 200_000 });
  output.addVideoTrack(source, { rotation: options.rotation ?? 0 });
  await output.start();
  const black = flatFrame(width, height, "black");
  const orange = flatFrame(width, height, "orange", options.lowerHalf);
  for (let i = 0; i < durationSeconds * framesPerSecond; i++) {
    const timestamp = i / framesPerSecond;
    using sample = new media.VideoSample(timestamp < blackSeconds ? black : orange, {
      format: "RGBA",
      codedWidth: width,
      codedHeight: height,
      timestamp,
      duration: 1 / framesPerSecond,
    });
    await source.add(sample);
  }
  await output.finalize();
  if (target.buffer === null) throw new Error("the encoder wrote nothing");
  return new Uint8Array(target.buffer);
}

/** An image of one colour. */
export function makeImage(kind: "png" | "jpeg" | "webp", width = 64, height = 48): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "teal";
  context.fillRect(0, 0, width, height);
  return kind === "png" ? canvas.toBuffer("image/png") : canvas.toBuffer(`image/${kind}`, 80);
}

function flatFrame(width: number, height: number, colour: string, lowerHalf = colour): Uint8Array {
  const context = createCanvas(width, height).getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, width, height);
  context.fillStyle = lowerHalf;
  context.fillRect(0, height / 2, width, height / 2);
  return new Uint8Array(context.getImageData(0, 0, width, height).data.buffer);
}
