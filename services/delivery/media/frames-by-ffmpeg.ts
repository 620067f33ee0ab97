/** Decodes frames by Debian's ffmpeg, a child of this process, of its user and within its limits and network. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  MkvOutputFormat,
  Output,
  type InputVideoTrack,
  type Rotation,
} from "mediabunny";
import { FFMPEG } from "#runtime/video-codecs.ts";
import { takeFrom } from "./confinement.ts";
import {
  MAX_FRAME_PIXELS,
  MAX_SEARCH_SECONDS,
  STEP_SECONDS,
  thumbnailSize,
  type ScaledFrame,
} from "./video.ts";

/** Clockwise, as the container says that players turn it. */
const TURNS: Record<Rotation, string> = {
  0: "null",
  90: "transpose=clock",
  180: "hflip,vflip",
  270: "transpose=cclock",
};
/** The first frame, however short the video is, and those that follow in steps. */
const SELECT = `select=isnan(prev_selected_t)+gte(t-prev_selected_t\\,${STEP_SECONDS})`;
/** The kernel ends it with this process, however that ends. */
const WITH_PARENT = ["--pdeathsig", "KILL", "--"];

export async function* scaledFrames(track: InputVideoTrack): AsyncGenerator<ScaledFrame> {
  const excerpt = await excerptOf(track);
  if (excerpt === undefined) return;
  const size = thumbnailSize(await track.getDisplayWidth(), await track.getDisplayHeight());
  const scale = `scale=${size.width}:${size.height}`;
  const turn = TURNS[await track.getRotation()];
  const mirror = (await track.getFlip()) ? "hflip" : "null";
  const filters = `${SELECT},${turn},${mirror},${scale}`;
  // It knows no other format or protocol than its pipes have.
  const input = `-nostdin -protocol_whitelist pipe -max_pixels ${MAX_FRAME_PIXELS} -threads 1 -f matroska -i pipe:0`;
  const output = `-fps_mode passthrough -frames:v ${MAX_SEARCH_SECONDS / STEP_SECONDS} -filter_threads 1 -vf ${filters} -f rawvideo -pix_fmt rgba pipe:1`;
  const args = [...WITH_PARENT, FFMPEG, ...input.split(" "), ...output.split(" ")];
  const child = spawn("/usr/bin/setpriv", args, { stdio: ["pipe", "pipe", "ignore"] });
  const closed = once(child, "close");
  // It may have enough before it has read all.
  child.stdin.on("error", () => {});
  child.stdin.end(excerpt);
  try {
    const take = takeFrom(child.stdout);
    const frameBytes = size.width * size.height * 4;
    for (let frame = await take(frameBytes); frame; frame = await take(frameBytes))
      yield { ...size, pixels: new Uint8ClampedArray(frame) };
  } finally {
    child.kill("SIGKILL");
    child.stdout.destroy();
    await closed;
  }
}

/** The size of the longest excerpt: one of a video with more than 40 Mbit/s has fewer seconds. */
const MAX_EXCERPT_BYTES = 32 * 1024 * 1024;

/** The seconds to search, as Matroska, which holds every codec and fits a pipe; undefined for an unknown codec. */
async function excerptOf(track: InputVideoTrack): Promise<Uint8Array | undefined> {
  const codec = await track.getCodec();
  const decoderConfig = await track.getDecoderConfig();
  if (codec === null || decoderConfig === null) return undefined;
  const target = new BufferTarget();
  const output = new Output({ format: new MkvOutputFormat(), target });
  const source = new EncodedVideoPacketSource(codec);
  output.addVideoTrack(source);
  await output.start();
  const begin = await track.getFirstTimestamp();
  let bytes = 0;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    bytes += packet.byteLength;
    const timestamp = packet.timestamp - begin;
    if (timestamp >= MAX_SEARCH_SECONDS || bytes > MAX_EXCERPT_BYTES) break;
    await source.add(packet.clone({ timestamp }), { decoderConfig });
  }
  await output.finalize();
  return target.buffer === null ? undefined : new Uint8Array(target.buffer);
}
