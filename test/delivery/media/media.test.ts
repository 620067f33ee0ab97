/** Media files: what is read from them, and which are refused. */
import { execFileSync } from "node:child_process";
import { createCanvas } from "@napi-rs/canvas";
import {
  inMemory,
  inspectMedia,
  openFile,
  type MediaError,
} from "../../../services/delivery/media/inspect.ts";
import { imageThumbnailOf } from "../../../services/delivery/media/image-thumbnail.ts";
import type { VideoHeader } from "../../../services/delivery/media/confinement.ts";
import { marksOf } from "../../support/marks.ts";
import { makeImage, makeVideo } from "../../support/make-media.ts";
import { hasFfmpeg } from "../../support/video-codecs.ts";
import { insert, jpegSegment, pngChunk } from "./picture-parts.ts";
import { mediaFixture, pixelAt } from "./media-fixture.ts";

const { decoder, fileOf, inspect, thumbnail } = mediaFixture();

const mp4 = await makeVideo({ blackSeconds: 0.5 });
const webm = await makeVideo({ container: "webm" });
const PNG = makeImage("png");
const JPEG = makeImage("jpeg");
const WEBP = makeImage("webp");
const EMPTY_WEBP = Buffer.from("UklGRhYAAABXRUJQVlA4WAoAAAAAAAAAjwEAxwAA", "base64");

const changed = (file: Buffer, at: number, bits: number) => {
  const copy = Buffer.from(file);
  copy[at] = (copy[at] ?? 0) ^ bits;
  return copy;
};

/** Undefined if the file is accepted. */
const faultOf = (content: Uint8Array) =>
  inspect(content).then(
    () => undefined,
    ({ fault }: MediaError) => fault,
  );

describe("inspection", () => {
  it("reads a video's type, displayed size, duration and length from the file", async () => {
    expect(await inspect(mp4)).toEqual({
      contentType: "video/mp4",
      width: 320,
      height: 180,
      durationSeconds: 1,
    });
    expect(await inspect(webm)).toMatchObject({ contentType: "video/webm", width: 320 });
    const turned = await makeVideo({ rotation: 90 });
    expect(await inspect(turned)).toMatchObject({ width: 180, height: 320 });
  });

  it.each([
    ["an empty file", Buffer.alloc(0)],
    ["sound", Buffer.from("\0\0\0\x14ftypM4A \0\0\0\0isom", "latin1")],
    ["an AVIF picture", Buffer.from("\0\0\0\x14ftypavif\0\0\0\0mif1", "latin1")],
    ["a GIF", Buffer.from("GIF89a".padEnd(100, "\0"), "latin1")],
  ])("refuses %s as an unknown type", async (_, content) => {
    expect(await faultOf(content)).toBe("unknown_type");
  });

  it.each([
    ["an MP4", mp4],
    ["a WebM", webm],
    ["a PNG", PNG],
    ["a JPEG", JPEG],
    ["a WebP", WEBP],
  ])("refuses %s that is truncated anywhere", async (_, file) => {
    for (const share of [0.1, 0.5, 0.9, 1]) {
      const bytes = Math.max(30, Math.floor(file.byteLength * share));
      const cut = file.subarray(0, Math.min(bytes, file.byteLength - 1));
      expect({ share, fault: await faultOf(cut) }).toEqual({ share, fault: "truncated" });
    }
  });

  it("refuses a picture with a side above 16,384 pixels", async () => {
    expect(await inspect(makeImage("png", 16_384, 1))).toMatchObject({ width: 16_384 });
    expect(await faultOf(makeImage("png", 1, 16_385))).toBe("damaged");
  });

  it("refuses a video with damaged contents", async () => {
    const broken = Buffer.from(mp4);
    broken.fill(0xff, broken.indexOf("moov") + 4, broken.indexOf("moov") + 200);
    expect(await faultOf(broken)).toBe("damaged");
    const headOnly = mp4.subarray(0, Buffer.from(mp4).readUInt32BE(0));
    expect(await faultOf(headOnly)).toBe("truncated");
  });
});

/** A TIFF structure, as Exif is, with this orientation. */
const tiff = (orientation: number) =>
  Buffer.from(`4d4d002a0000000800010112000300000001000${orientation}000000000000`, "hex");

/** A picture that says how it is to be turned. */
function turned(kind: "png" | "jpeg", orientation: number): Buffer {
  const image = halves(kind, 64, 48);
  if (kind === "png") return insert(image, 33, pngChunk("eXIf", tiff(orientation)));
  return insert(image, 2, jpegSegment(0xe1, Buffer.from("Exif\0\0", "latin1"), tiff(orientation)));
}

describe("a picture as cameras and other programs write it", () => {
  // Red, White or Blue: upper left, upper right, lower left, lower right.
  it.each([
    [1, "RWRB"],
    [2, "WRBR"],
    [3, "BRWR"],
    [4, "RBRW"],
    [5, "RRWB"],
    [6, "RRBW"],
    [7, "BWRR"],
    [8, "WBRR"],
  ])(
    "has the size and the thumbnail that a browser shows, in the orientation %d",
    async (orientation, corners) => {
      for (const kind of ["png", "jpeg"] as const) {
        const image = turned(kind, orientation);
        const [width, height] = orientation >= 5 ? [48, 64] : [64, 48];
        expect(await inspect(image)).toMatchObject({ contentType: `image/${kind}`, width, height });
        const picture = await thumbnailOf(image);
        expect(await inspect(picture)).toMatchObject({ width, height });
        // The stored picture is red in its left half and blue in the lower right quarter.
        expect(await cornersOf(picture)).toBe(corners);
      }
    },
  );

  it("is whole if a video follows the end of a JPEG", async () => {
    const image = makeImage("jpeg", 123, 45);
    const behind = Buffer.alloc(40_000, "mdat");
    expect(await inspect(Buffer.concat([image, behind]))).toMatchObject({ width: 123, height: 45 });
    expect(await faultOf(Buffer.concat([image.subarray(0, -2), behind]))).toBe("truncated");
  });

  it.each([
    ["a PNG without pixels", Buffer.concat([PNG.subarray(0, 33), PNG.subarray(-12)])],
    ["a PNG with a broken header", changed(PNG, 29, 1)],
    ["a WebP without a picture", EMPTY_WEBP],
    ["a WebP whose picture is no VP8", changed(WEBP, WEBP.indexOf("9d012a", 0, "hex"), 1)],
    ["a lossless JPEG", changed(JPEG, JPEG.indexOf("ffc00011", 0, "hex") + 1, 3)],
  ])("is damaged where a browser refuses it: %s", async (_, image) => {
    expect(await faultOf(image)).toBe("damaged");
  });
});

describe("a video as cameras and other programs write it", () => {
  // QuickTime's, HEVC's, and that of a sequence.
  it.each(["qt  ", "hevc", "msf1"])("is an MP4 with the brand %s", async (name) => {
    const renamed = Buffer.from(mp4);
    renamed.write(name, 8, "latin1");
    expect(await inspect(renamed)).toMatchObject({ contentType: "video/mp4", durationSeconds: 1 });
  });

  it("is an MP4 with bytes behind it that are none of its boxes, and gets its mark before them", async () => {
    for (const behind of [Buffer.alloc(4), Buffer.alloc(5_000), Buffer.from("a trailer of text")]) {
      const video = Buffer.concat([mp4, behind]);
      expect(await inspect(video)).toMatchObject({ width: 320, durationSeconds: 1 });
      const { edits } = await marksOf(video);
      expect(edits).toMatchObject([{ at: mp4.byteLength, remove: 0 }]);
    }
  });

  it("is an MP4 that begins with free space", async () => {
    const video = await withMovedIndex(Buffer.from("\0\0\0\x10free********", "latin1"));
    expect(await inspect(video)).toMatchObject({ contentType: "video/mp4", durationSeconds: 1 });
    expect(await thumbnail(video)).toBeInstanceOf(Uint8Array);
  });

  it("is not believed what a process says of it that a file has taken over", async () => {
    for (const said of [{ durationSeconds: "1" }, { durationSeconds: -1 }, { width: "320" }, {}]) {
      const header = { width: 320, height: 180, ...said } as VideoHeader;
      const inspected = inspectMedia(inMemory(mp4), () => Promise.resolve(header));
      await expect(inspected).rejects.toMatchObject({ fault: "damaged" });
    }
  });

  const FRAGMENTED = "-movflags frag_keyframe+empty_moov";
  /** The container and options of each file, of a picture of 2 s or also a sound of 3 s. */
  const MADE = [
    ["mp4", "picture", ""],
    ["mp4", "picture", `${FRAGMENTED}+delay_moov -output_ts_offset 1.5`],
    ["mp4", "picture", "-output_ts_offset 1.5"],
    // States the largest number for a duration that it does not know.
    ["ismv", "picture", ""],
    ["mp4", "sound", ""],
    ["webm", "picture", "-c:v libvpx"],
    ["webm", "sound", "-c:v libvpx"],
    ["webm", "picture", "-c:v libvpx -output_ts_offset 1.5"],
  ] as const;
  it.runIf(hasFfmpeg)("has the duration that ffprobe says, as ffmpeg makes it", async () => {
    const source = "-f lavfi -i testsrc=size=64x36:rate=25:duration=2 -f lavfi -i sine=duration=3";
    const paths = await Promise.all(MADE.map(() => fileOf(Buffer.alloc(0))));
    const outputs = MADE.map(([container, tracks, options], index) => {
      const map = `-map 0:v ${tracks === "sound" ? "-map 1:a" : ""}`;
      return `${map} ${options} -f ${container} ${paths[index]}`;
    });
    execFileSync("/usr/bin/ffmpeg", `-v error -y ${source} ${outputs.join(" ")}`.split(/ +/));
    for (const [index, path] of paths.entries()) {
      const probe = `-v error -show_entries format=duration -of csv=p=0 ${path}`;
      const seconds = Number(execFileSync("/usr/bin/ffprobe", probe.split(" ")));
      await using file = await openFile(path);
      const { durationSeconds } = await inspectMedia(file, decoder.header);
      const difference = Math.abs((durationSeconds ?? 0) - seconds);
      expect({ made: MADE[index], isSame: difference <= 0.05 }).toMatchObject({ isSame: true });
    }
  });
});

/** A video that this box comes before, with the places of its frames as many bytes further. */
async function withMovedIndex(box: Buffer): Promise<Buffer> {
  const video = Buffer.from(await makeVideo());
  const table = video.indexOf("stco", 0, "latin1");
  for (let entry = 0; entry < video.readUInt32BE(table + 8); entry++) {
    const at = table + 12 + 4 * entry;
    video.writeUInt32BE(video.readUInt32BE(at) + box.byteLength, at);
  }
  return Buffer.concat([box, video]);
}

/** Red on the left, white above blue on the right. */
function halves(kind: "png" | "jpeg", width: number, height: number): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  for (const [colour, x, y] of [
    ["red", 0, 0],
    ["white", width / 2, 0],
    ["blue", width / 2, height / 2],
  ] as const) {
    context.fillStyle = colour;
    context.fillRect(x, y, width, height);
  }
  return kind === "png" ? canvas.toBuffer("image/png") : canvas.toBuffer("image/jpeg", 90);
}

/** Drawn in this process. */
async function thumbnailOf(image: Buffer): Promise<Buffer> {
  const { picture = "" } = await imageThumbnailOf(inMemory(image));
  return Buffer.from(picture, "base64");
}

async function cornersOf(picture: Uint8Array): Promise<string> {
  const nameAt = async (across: number, down: number) => {
    const { red, blue } = await pixelAt(picture, across, down);
    return red < 128 ? "B" : blue < 128 ? "R" : "W";
  };
  const upper = (await nameAt(0.2, 0.2)) + (await nameAt(0.8, 0.2));
  return upper + (await nameAt(0.2, 0.8)) + (await nameAt(0.8, 0.8));
}
