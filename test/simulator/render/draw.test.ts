/** What the simulator draws. */
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { describe, expect, it } from "vitest";
import { jobOf, picturesOf, type JobRequest } from "../../../services/simulator/job.ts";
import { imageOf } from "../../../services/simulator/render/draw.ts";
import { anImage } from "../harness.ts";

const STYLES = ["draw", "fixture"] as const;

/** The pictures that are asked for, each as it is drawn. */
function drawn(fields: object, style: (typeof STYLES)[number] = "draw"): Buffer[] {
  const pictures = picturesOf(jobOf({ ...anImage, ...fields } as JobRequest, 0));
  return pictures.flatMap((one) => (one.kind === "image" ? Buffer.from(imageOf(one, style)) : []));
}
const first = (...asked: Parameters<typeof drawn>): Buffer => drawn(...asked)[0] ?? Buffer.alloc(0);

describe.each(STYLES)("an image by %s", (style) => {
  it("has exactly the size, the format and the background asked for", async () => {
    for (const [output_format, mark] of [
      [undefined, /^\x89PNG/],
      ["jpeg", /^\xff\xd8\xff/],
      ["webp", /^.{8}WEBP/s],
    ] as const) {
      const file = first({ width: 121, height: 83, output_format }, style);
      expect(file.toString("latin1", 0, 12)).toMatch(mark);
      expect(await loadImage(file)).toMatchObject({ width: 121, height: 83 });
    }
    const alphaOf = async (background: string) => {
      const picture = await loadImage(first({ background }, style));
      const context = createCanvas(picture.width, picture.height).getContext("2d");
      context.drawImage(picture, 0, 0);
      return context.getImageData(0, 0, 1, 1).data[3];
    };
    expect([await alphaOf("transparent"), await alphaOf("opaque")]).toEqual([0, 255]);
  });
});

it("an image is the same, byte for byte, for the same prompt and seed, and no other of several is", () => {
  const one = first({ seed: 5 });
  expect(first({ seed: 5 }).equals(one)).toBe(true);
  expect(first({}).equals(first({}))).toBe(true);
  const others = [...drawn({ seed: 5, count: 3 }).slice(1), first({ seed: 7 }), first({})];
  expect(others).toHaveLength(4);
  for (const other of others) expect(other.equals(one)).toBe(false);
});
