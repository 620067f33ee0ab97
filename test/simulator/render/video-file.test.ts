/** Clips as files, by each encoder that the simulator can have. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeVideo, type Video } from "../../../services/simulator/render/video-file.ts";
import { decodeVideo, difference } from "../../support/decode-video.ts";
import { describeByCodecs } from "../../support/video-codecs.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const WIDTH = 90;
const HEIGHT = 162;
const FRAMES = 24;

/** A slope of greys that moves. */
const video: Video = {
  width: WIDTH,
  height: HEIGHT,
  frameCount: FRAMES,
  framesPerSecond: 24,
  quantizer: 21,
  draw: (frame) => {
    const pixels = new Uint8Array(WIDTH * HEIGHT * 4).fill(255);
    for (let at = 0; at < WIDTH * HEIGHT; at++) pixels.fill(greyAt(at, frame), at * 4, at * 4 + 3);
    return pixels;
  },
};

/** The same frame as a decoder gives it: brightness from 16 to 235, and no colour. */
function asYuv(frame: number): Uint8Array {
  const planes = new Uint8Array((WIDTH * HEIGHT * 3) / 2).fill(128);
  for (let at = 0; at < WIDTH * HEIGHT; at++) planes[at] = 16 + (greyAt(at, frame) * 219) / 255;
  return planes;
}

function greyAt(at: number, frame: number): number {
  return 40 + (at % WIDTH) + frame * 2;
}

const always = () => true;
const never = () => false;

const folder = folderForTests();

describeByCodecs("an encoded clip", (codecs) => {
  it("is an H.264 MP4 of the size, length and pictures drawn, which can be streamed", async () => {
    const path = join(folder, `${codecs}.mp4`);
    await writeVideo(path, video, never, codecs);
    const file = await readFile(path);
    const { frames, ...facts } = await decodeVideo(file);
    expect(facts).toEqual({ codec: "avc", width: WIDTH, height: HEIGHT, durationSeconds: 1 });
    expect(frames).toHaveLength(FRAMES);
    for (const [index, frame] of frames.entries()) {
      expect(difference(frame, asYuv(index))).toBeLessThan(3);
    }
    expect(file.indexOf("moov")).toBeLessThan(file.indexOf("mdat"));
  });

  it("is given up when it is abandoned, and nothing of it goes on", async () => {
    let asked = 0;
    const path = join(folder, `${codecs}-abandoned.mp4`);
    const written = writeVideo(path, video, () => ++asked > 10, codecs);
    await expect(written).rejects.toThrow("the render was abandoned");
    await expect(writeVideo(path, video, always, codecs)).rejects.toThrow("abandoned");
    // No program that was given the path runs.
    const programs = execFileSync("ps", ["-eo", "args="]).toString().split("\n");
    expect(programs.filter((line) => line.includes(path))).toEqual([]);
  });
});
