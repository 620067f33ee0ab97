/** Videos that are made to harm whoever reads them. Each is small, and all but one are made here. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { makeVideo } from "./make-media.ts";

/** An MP4 box. */
function box(name: string, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.byteLength + 8, 0);
  head.write(name, 4, "latin1");
  return Buffer.concat([head, content]);
}

/** Files by what is wrong with them. */
export async function hostileVideos(): Promise<Record<string, Uint8Array>> {
  const mp4 = Buffer.from(await makeVideo());
  const webm = Buffer.from(await makeVideo({ container: "webm" }));
  const fileType = mp4.subarray(0, mp4.readUInt32BE(0));
  return {
    "an index of 200,000 empty boxes": Buffer.concat([
      fileType,
      box("moov", Buffer.alloc(200_000 * 8, box("free"))),
    ]),
    "boxes within boxes, 100,000 deep": Buffer.concat([fileType, nested("moov", 100_000)]),
    "a sample table for four thousand million frames": withWord(mp4, "stsz", 8, 0xffff_ffff),
    "times of four thousand million frames": withWord(mp4, "stts", 4, 0xffff_ffff),
    "an index that ends in the middle of a box": withWord(mp4, "stbl", -4, 0x7fff_ffff),
    "an index of boxes without length": withWord(mp4, "stsd", -4, 0),
    "contents that are noise": noisy(mp4),
    "frames of 16,384 x 16,384 pixels that the container calls 320 x 180": withHugeFrames(webm),
    "whole frames of 4,608 x 4,608 pixels that the container calls 320 x 320": callingItsSide(
      largeFrames(),
      4_608,
      320,
    ),
  };
}

/** A video whose container says that its frames are of 16,000 x 16,000 pixels. */
export async function videoOfLargeFrames(): Promise<Uint8Array> {
  const side = 320;
  const made = { container: "webm", durationSeconds: 0.2, width: side, height: side } as const;
  return callingItsSide(Buffer.from(await makeVideo(made)), side, 16_000);
}

/** What `makeVideo` makes of a side of 4,608 and 0.2 seconds: that takes half a minute of processor. */
function largeFrames(): Buffer {
  return gunzipSync(readFileSync(new URL("frames-of-4608.webm.gz", import.meta.url)));
}

/** A video of square frames, with a container that says another side than they have. */
function callingItsSide(webm: Buffer, side: number, called: number): Buffer {
  for (const element of [0xb0, 0xba]) {
    const at = webm.indexOf(Buffer.from([element, 0x82, side >> 8, side & 0xff]));
    if (at < 0) throw new Error("the video does not say its size");
    webm.writeUInt16BE(called, at + 2);
  }
  return webm;
}

/** Overwrites 4 bytes, counted from the end of the name of the first box of this name. */
function withWord(video: Buffer, name: string, at: number, value: number): Buffer {
  const copy = Buffer.from(video);
  const nameAt = copy.indexOf(name, 0, "latin1");
  if (nameAt < 0) throw new Error(`the video has no box ${name}`);
  copy.writeUInt32BE(value, nameAt + (at < 0 ? at : at + 4));
  return copy;
}

function nested(name: string, depth: number): Buffer {
  const all = Buffer.alloc(depth * 8);
  for (let level = 0; level < depth; level++) {
    all.writeUInt32BE((depth - level) * 8, level * 8);
    all.write(level === 0 ? name : "trak", level * 8 + 4, "latin1");
  }
  return all;
}

function noisy(video: Buffer): Buffer {
  const copy = Buffer.from(video);
  for (let at = copy.indexOf("mdat", 0, "latin1") + 12; at < copy.byteLength; at += 3) {
    copy[at] = (at * 151) % 256;
  }
  return copy;
}

const SYNC_CODE = Buffer.from([0x49, 0x83, 0x42]);

/** Writes the largest width and height into every key frame of VP9: they follow 4 bits after the sync code. */
function withHugeFrames(video: Buffer): Buffer {
  const copy = Buffer.from(video);
  let at = copy.indexOf(SYNC_CODE);
  if (at < 0) throw new Error("the video has no VP9 key frame");
  for (; at >= 0; at = copy.indexOf(SYNC_CODE, at + 1)) {
    const size = ((16_384n - 1n) << 16n) | (16_384n - 1n);
    const bits = copy.readUIntBE(at + 3, 5);
    const first = BigInt(bits) >> 36n;
    const last = BigInt(bits) & 0xfn;
    copy.writeUIntBE(Number((first << 36n) | (size << 4n) | last), at + 3, 5);
  }
  return copy;
}
