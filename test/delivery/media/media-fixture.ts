/** Files and a decoder for the tests of media. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import { afterAll } from "vitest";
import {
  createMediaDecoder,
  type MediaDecoderOptions,
} from "../../../services/delivery/media/decoder.ts";
import { inMemory, inspectMedia } from "../../../services/delivery/media/inspect.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const LONG_MS = 600_000;
const PATIENT = { timeoutsMs: { header: LONG_MS, thumbnail: LONG_MS, image: LONG_MS } };

/** Its processes give way to all others, so that a busy machine keeps no time limit. */
export const patientDecoder = (options: MediaDecoderOptions = {}) =>
  createMediaDecoder({ ...PATIENT, ...options });

/** A folder and a decoder that last as long as the tests of the file, or of the `describe`, that calls this. */
export function mediaFixture(options: MediaDecoderOptions = {}) {
  const directory = folderForTests();
  const decoder = patientDecoder(options);
  afterAll(() => decoder[Symbol.asyncDispose]());
  let files = 0;
  const fileOf = async (content: Uint8Array, extension = "bin") => {
    const path = join(directory, `${files++}.${extension}`);
    await writeFile(path, content);
    return path;
  };
  const inspect = async (content: Uint8Array) => {
    const { marks: _, ...info } = await inspectMedia(inMemory(content), decoder.header);
    return info;
  };
  const thumbnail = (video: Uint8Array) => decoder.thumbnail(inMemory(video));
  return { decoder, fileOf, inspect, thumbnail };
}

/** The decoded pixels. */
export async function drawn(picture: Uint8Array) {
  const image = await loadImage(picture);
  const context = createCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height);
}

/** The pixel at these shares of the width and height. */
export async function pixelAt(picture: Uint8Array, across: number, down: number) {
  const { width, height, data } = await drawn(picture);
  const at = 4 * (Math.floor(height * down) * width + Math.floor(width * across));
  const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
  return { red, green, blue };
}
