/** Decodes a frame by Debian's ffmpeg, a child of this process, of its user and within its limits and network. */
import { spawn } from "node:child_process";
import { buffer } from "node:stream/consumers";
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
import { MAX_FRAME_PIXELS, thumbnailSize, type FirstFrame } from "./video.ts";

/** Clockwise, as the container says that players turn it. */
const TURNS: Record<Rotation, string> = {
  0: "null",
  90: "transpose=clock",
  180: "hflip,vflip",
  270: "transpose=cclock",
};
/** The kernel ends it with this process, however that ends. */
const WITH_PARENT = ["--pdeathsig", "KILL", "--"];

export const firstFrame: FirstFrame = async (track) => {
  const video = await firstPacketOf(track);
  if (video === undefined) return undefined;
  const size = thumbnailSize(await track.getDisplayWidth(), await track.getDisplayHeight());
  const turn = TURNS[await track.getRotation()];
  const mirror = (await track.getFlip()) ? "hflip" : "null";
  const filters = `${turn},${mirror},scale=${size.width}:${size.height}`;
  // It knows no other format or protocol than its pipes have.
  const input = `-nostdin -protocol_whitelist pipe -max_pixels ${MAX_FRAME_PIXELS} -threads 1 -f matroska -i pipe:0`;
  const output = `-frames:v 1 -filter_threads 1 -vf ${filters} -f rawvideo -pix_fmt rgba pipe:1`;
  const args = [...WITH_PARENT, FFMPEG, ...input.split(" "), ...output.split(" ")];
  const child = spawn("/usr/bin/setpriv", args, { stdio: ["pipe", "pipe", "ignore"] });
  // Where it cannot start, or has enough before it has read all, its output says so.
  child.on("error", () => {});
  child.stdin.on("error", () => {}).end(video);
  const pixels = await buffer(child.stdout);
  return pixels.byteLength === size.width * size.height * 4 ? { ...size, pixels } : undefined;
};

/** As Matroska, which holds every codec and fits a pipe; undefined for an unknown codec. */
async function firstPacketOf(track: InputVideoTrack): Promise<Uint8Array | undefined> {
  const codec = await track.getCodec();
  const decoderConfig = await track.getDecoderConfig();
  const packet = await new EncodedPacketSink(track).getFirstPacket();
  if (codec === null || decoderConfig === null || packet === null) return undefined;
  const target = new BufferTarget();
  const output = new Output({ format: new MkvOutputFormat(), target });
  const source = new EncodedVideoPacketSource(codec);
  output.addVideoTrack(source);
  await output.start();
  await source.add(packet.clone({ timestamp: 0 }), { decoderConfig });
  await output.finalize();
  return target.buffer === null ? undefined : new Uint8Array(target.buffer);
}
