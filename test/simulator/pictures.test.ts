/** What the simulator draws, decoded again. */
import { createHash } from "node:crypto";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeVideo, difference } from "../support/decode-video.ts";
import { aVideo, anImage, outputUrl, startHarness, type Harness } from "./harness.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const stack = new AsyncDisposableStack();
let drawing: Harness;
let canning: Harness;

beforeAll(async () => {
  const start = async (render: "draw" | "fixture") =>
    stack.use(await startHarness(stack.use(await temporaryFolder()).path, { render }));
  drawing = await start("draw");
  canning = await start("fixture");
});

afterAll(() => stack.disposeAsync());

async function fileOf(simulator: Harness, fields: Record<string, unknown>): Promise<Uint8Array> {
  const { id } = await simulator.create(fields);
  const response = await fetch(outputUrl(await simulator.finished(id)));
  return new Uint8Array(await response.arrayBuffer());
}

/** The mean of the brightness plane, the first two thirds of I420; black is 16. */
function brightnessOf(pixels: Uint8Array = new Uint8Array()): number {
  const luma = pixels.subarray(0, (pixels.length * 2) / 3);
  return luma.reduce((sum, value) => sum + value, 0) / luma.length;
}

/** The same of the upper eighth, where even a night sky is not black. */
function skyBrightnessOf(pixels: Uint8Array = new Uint8Array()): number {
  const sky = pixels.subarray(0, pixels.length / 12);
  return sky.reduce((sum, value) => sum + value, 0) / sky.length;
}

/** Stands for bytes in comparisons: a test that fails need not print megabytes. */
function digest(bytes: Uint8Array = new Uint8Array()): string {
  return createHash("sha256").update(bytes).digest("hex");
}

describe("a drawn video", () => {
  it("moves, and is never black", async () => {
    const prompts = ["hills at dawn", "a sunny day", "a sunset", "a city at night"];
    for (const prompt of prompts) {
      const { frames } = await decodeVideo(await fileOf(drawing, { prompt }));
      for (const frame of [frames[0], frames.at(-1)]) {
        expect(brightnessOf(frame)).toBeGreaterThan(26);
        expect(skyBrightnessOf(frame)).toBeGreaterThan(20);
      }
      expect(difference(frames[0], frames.at(-1))).toBeGreaterThan(0.5);
    }
  });
});

describe("a canned video", () => {
  it("has the size and length asked for and is not black", async () => {
    const { frames, ...facts } = await decodeVideo(await fileOf(canning, {}));
    const { width, height, duration_seconds: durationSeconds } = aVideo;
    expect(facts).toEqual({ codec: "avc", width, height, durationSeconds });
    expect(brightnessOf(frames[0])).toBeGreaterThan(26);
  });
});

describe("an image", () => {
  it("is a PNG of exactly the size asked for, drawn or canned", async () => {
    for (const simulator of [drawing, canning]) {
      const file = await fileOf(simulator, { ...anImage, width: 121, height: 83 });
      expect(Buffer.from(file.subarray(1, 4)).toString()).toBe("PNG");
      expect(await loadImage(file)).toMatchObject({ width: 121, height: 83 });
    }
  });

  it("has the format and the background asked for", async () => {
    for (const simulator of [drawing, canning]) {
      const draw = (fields: object) => fileOf(simulator, { ...anImage, ...fields });
      for (const [output_format, mark] of [
        ["jpeg", /^\xff\xd8\xff/],
        ["webp", /^.{8}WEBP/s],
      ] as const) {
        const text = Buffer.from(await draw({ output_format })).toString("latin1", 0, 12);
        expect(text).toMatch(mark);
      }
      const alphaOf = async (background: string) => {
        const picture = await loadImage(await draw({ background }));
        const context = createCanvas(picture.width, picture.height).getContext("2d");
        context.drawImage(picture, 0, 0);
        return context.getImageData(0, 0, 1, 1).data[3];
      };
      expect([await alphaOf("transparent"), await alphaOf("opaque")]).toEqual([0, 255]);
    }
  });

  it("is the same, byte for byte, for the same prompt and seed", async () => {
    const folder = stack.use(await temporaryFolder());
    const other = stack.use(await startHarness(folder.path, { render: "draw" }));
    const draw = async (simulator: Harness, fields: object) =>
      digest(await fileOf(simulator, { ...anImage, ...fields }));
    const first = await draw(drawing, { seed: 5 });
    expect(await draw(other, { seed: 5 })).toBe(first);
    expect(await draw(drawing, { seed: 6 })).not.toBe(first);
    expect(await draw(other, {})).toBe(await draw(drawing, {}));
    expect(await draw(drawing, {})).not.toBe(first);
  });

  it("is served at an address of its own where there are several", async () => {
    const size = { width: 64, height: 64, duration_seconds: 0 };
    const { id } = await drawing.create({ kind: "image", count: 3, ...size });
    const { output } = await drawing.finished(id);
    const files = await Promise.all(
      (output?.urls ?? []).map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())),
    );
    const marks = files.map((bytes) => bytes.toString("latin1", 1, 4));
    expect(marks).toEqual(["PNG", "PNG", "PNG"]);
    expect(new Set(files.map(digest)).size).toBe(3);
  });
});
