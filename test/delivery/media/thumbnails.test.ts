/** Thumbnails of videos and images. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { beforeAll, describe, expect, it } from "vitest";
import { createMediaDecoder } from "../../../services/delivery/media/decoder.ts";
import { makeImage, makeVideo } from "../../support/make-media.ts";
import { describeByCodecs } from "../../support/video-codecs.ts";
import { mediaFixture, patientDecoder, pixelAt } from "./media-fixture.ts";

const { directory, decoder, fileOf, inspect } = mediaFixture();
let mp4: Uint8Array;
let webm: Uint8Array;

beforeAll(async () => {
  mp4 = await makeVideo({ blackSeconds: 0.5 });
  webm = await makeVideo({ container: "webm" });
});

describeByCodecs("a thumbnail", (codecs) => {
  const { decoder } = mediaFixture({ codecs });
  const thumbnail = async (content: Uint8Array) => decoder.thumbnail(await fileOf(content));

  it("is a JPEG, 640 wide, of the first frame that is not black", async () => {
    const jpeg = await thumbnail(mp4);
    expect(await inspect(jpeg ?? Buffer.alloc(0))).toMatchObject({
      contentType: "image/jpeg",
      width: 640,
      height: 360,
    });
    const [red, green, blue] = await pixelAt(jpeg ?? Buffer.alloc(0), 0.5, 0.5);
    expect([red, green, blue].map((value) => Math.round((value ?? 0) / 20))).toEqual([13, 8, 0]);
  });

  it("is turned as the video is displayed", async () => {
    const jpeg = await thumbnail(await makeVideo({ rotation: 90, lowerHalf: "blue" }));
    const { width, height } = await inspect(jpeg ?? Buffer.alloc(0));
    expect({ width, height }).toEqual({ width: 640, height: 1138 });
    const [red = 0, , blue = 0] = await pixelAt(jpeg ?? Buffer.alloc(0), 0.9, 0.5);
    expect(red).toBeGreaterThan(blue + 100);
  });

  it("is mirrored as the video is displayed", async () => {
    const video = Buffer.from(await makeVideo({ rotation: 90, lowerHalf: "blue" }));
    // The third number of the matrix 0, 1, -1, 0: the frame is turned, then mirrored.
    video.writeInt32BE(0x10000, video.indexOf("tkhd", 0, "latin1") + 4 + 40 + 12);
    const jpeg = await thumbnail(video);
    const [red = 0, , blue = 0] = await pixelAt(jpeg ?? Buffer.alloc(0), 0.1, 0.5);
    expect(red).toBeGreaterThan(blue + 100);
  });

  it.each([
    ["of one frame", { durationSeconds: 0.04, framesPerSecond: 25 }],
    [
      "with few frames a second, black at first",
      { durationSeconds: 4, framesPerSecond: 2, blackSeconds: 2 },
    ],
  ])("is made of a video %s", async (_, video) => {
    const jpeg = await thumbnail(await makeVideo(video));
    const [red = 0] = await pixelAt(jpeg ?? Buffer.alloc(0), 0.5, 0.5);
    expect(red).toBeGreaterThan(200);
  });

  it("is made of a WebM, and of a video that is all black", async () => {
    expect(await thumbnail(webm)).toBeInstanceOf(Uint8Array);
    expect(await thumbnail(await makeVideo({ blackSeconds: 9 }))).toBeInstanceOf(Uint8Array);
  });

  it("is not made of a file that cannot be decoded, and the next one is made as usual", async () => {
    const broken = Buffer.from(mp4);
    broken.fill(0xff, broken.indexOf("mdat") + 4);
    expect(await thumbnail(broken)).toBeUndefined();
    expect(await thumbnail(Buffer.from("no video"))).toBeUndefined();
    expect(await decoder.thumbnail(join(directory, "no-such-file"))).toBeUndefined();
    expect(await thumbnail(mp4)).toBeInstanceOf(Uint8Array);
  });
});

describe("the processes that make thumbnails", () => {
  it("give one up at the time limit of its video, or when the decoder is disposed of", async () => {
    const path = await fileOf(mp4);
    const hasty = createMediaDecoder({ timeoutsMs: { start: 0, thumbnail: 1 } });
    expect(await Promise.all([hasty.thumbnail(path), hasty.thumbnail(path)])).toEqual([
      undefined,
      undefined,
    ]);
    const patient = createMediaDecoder();
    const running = [patient.thumbnail(path), patient.thumbnail(path)];
    await patient[Symbol.asyncDispose]();
    expect(await Promise.all(running)).toEqual([undefined, undefined]);
    await hasty[Symbol.asyncDispose]();
    expect(await hasty.thumbnail(path)).toBeUndefined();
  });

  it.runIf(existsSync(CHILDREN))("end when idle, and start again with the next", async () => {
    const path = await fileOf(makeImage("png"));
    const others = new Set(children());
    const own = () => children().filter((pid) => !others.has(pid));
    await using idle = patientDecoder({ idleMs: 0 });
    expect(await idle.imageThumbnail(path)).toBeInstanceOf(Uint8Array);
    await expect.poll(own).toEqual([]);
    await using busy = patientDecoder();
    expect(await busy.imageThumbnail(path)).toBeInstanceOf(Uint8Array);
    expect(own()).toHaveLength(1);
    expect(await idle.imageThumbnail(path)).toBeInstanceOf(Uint8Array);
  });
});

it("a video gets no thumbnail, and is stored all the same, where nothing can decode it", async () => {
  const path = await fileOf(mp4);
  await using without = patientDecoder({ codecs: "none" });
  expect(await without.thumbnail(path)).toBeUndefined();
  expect(await without.header(path)).toMatchObject({ width: 320, height: 180 });
});

describe("the thumbnail of an image", () => {
  const thumbnail = async (content: Uint8Array) => decoder.imageThumbnail(await fileOf(content));
  const pictureOf = async (content: Uint8Array) => {
    const picture = await thumbnail(content);
    return typeof picture === "string" ? Buffer.alloc(0) : picture;
  };

  it.each(["png", "jpeg", "webp"] as const)(
    "is a WebP of a %s, no wider than 640",
    async (kind) => {
      const webp = await pictureOf(makeImage(kind, 1_600, 900));
      expect(await inspect(webp)).toMatchObject({
        contentType: "image/webp",
        width: 640,
        height: 360,
      });
    },
  );

  it("has at most 40 kB, also of a picture that is all noise", async () => {
    const { byteLength } = await pictureOf(noise(1_024, 1_024));
    expect(byteLength).toBeGreaterThan(0);
    expect(byteLength).toBeLessThanOrEqual(40_000);
  });

  it("is not made of what is no such image, nor of more pixels than the decoder may hold", async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    expect(await thumbnail(Buffer.from(svg))).toBe("undecodable");
    expect(await thumbnail(makeImage("png").subarray(0, 60))).toBe("undecodable");
    const huge = makeImage("png");
    huge.writeUInt32BE(16_000, 16);
    huge.writeUInt32BE(16_000, 20);
    expect(await thumbnail(huge)).toBe("undecodable");
    expect(await thumbnail(makeImage("png"))).toBeInstanceOf(Uint8Array);
  });

  it("is unfinished, not undecodable, where the process ends before it", async () => {
    const closed = createMediaDecoder();
    await closed[Symbol.asyncDispose]();
    expect(await closed.imageThumbnail(await fileOf(makeImage("png")))).toBe("unfinished");
    await expect(closed.header(await fileOf(mp4))).rejects.toMatchObject({ fault: "unfinished" });
  });
});

/** A PNG of random pixels, which no encoder makes small. */
function noise(width: number, height: number): Buffer {
  const context = createCanvas(width, height).getContext("2d");
  const image = context.createImageData(width, height);
  // The same each time.
  image.data.set(createHash("shake256", { outputLength: image.data.length }).digest());
  for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
  context.putImageData(image, 0, 0);
  return context.canvas.toBuffer("image/png");
}

/** Those of this process; Linux lists them. */
const CHILDREN = `/proc/${process.pid}/task/${process.pid}/children`;
const children = () => readFileSync(CHILDREN, "utf8").split(" ").filter(Boolean);
