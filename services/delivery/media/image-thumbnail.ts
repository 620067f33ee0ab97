/** Decodes an image for its thumbnail: a small WebP. Runs in the decoding process only. */
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { MAX_READ_BYTES, MAX_WEBP_BYTES } from "./confinement.ts";
import type { FileBytes } from "./formats/format.ts";
import { inspectPicture, MediaError } from "./inspect.ts";

/** Decoded, each takes 4 bytes. */
const MAX_PIXELS = 6_144 * 6_144;
const MAX_HEIGHT_SHARE = 4;
const EXIF_FLAG = 0x08;
/** The first that fits is taken: most pictures fit the first, and even noise fits the last. */
const TRIES = [
  { widthPixels: 640, quality: 78 },
  { widthPixels: 640, quality: 50 },
  { widthPixels: 400, quality: 40 },
  { widthPixels: 240, quality: 25 },
] as const;

/** How often a picture in each orientation of Exif is turned clockwise, after some were mirrored. */
const QUARTER_TURNS = [0, 0, 2, 2, 3, 1, 1, 3];
const MIRRORED = new Set([2, 4, 5, 7]);

/** Base64; nothing if the picture does not fit the limits. */
export async function imageThumbnailOf({ bytes, read }: FileBytes): Promise<{ picture?: string }> {
  if (bytes > MAX_READ_BYTES) throw new MediaError("damaged", `an image of ${bytes} bytes`);
  const content = Buffer.from(await read(0, bytes));
  // Anything else, such as SVG, is not for this decoder, though it would read it.
  const info = await inspectPicture(content, MAX_PIXELS);
  if ("fault" in info) return {};
  // Browsers turn no WebP. The decoder does, where this flag says that there is Exif.
  if (content.toString("latin1", 12, 16) === "VP8X") content[20] = (content[20] ?? 0) & ~EXIF_FLAG;
  const image = await loadImage(content);
  // It turns JPEGs itself, and no PNG.
  const orientation = info.contentType === "image/jpeg" ? 1 : info.orientation;
  const turns = QUARTER_TURNS[orientation - 1] ?? 0;
  for (const { widthPixels, quality } of TRIES) {
    const width = Math.min(widthPixels, info.width);
    const height = Math.max(1, Math.round((width * info.height) / info.width));
    const shown = Math.min(MAX_HEIGHT_SHARE * width, height);
    const context = createCanvas(width, shown).getContext("2d");
    context.imageSmoothingQuality = "high";
    context.translate(width / 2, height / 2);
    context.rotate((turns * Math.PI) / 2);
    if (MIRRORED.has(orientation)) context.scale(-1, 1);
    const [across, down] = turns % 2 === 1 ? [height, width] : [width, height];
    context.drawImage(image, -across / 2, -down / 2, across, down);
    const webp = await context.canvas.encode("webp", quality);
    if (webp.byteLength <= MAX_WEBP_BYTES) return { picture: webp.toString("base64") };
  }
  return {};
}
