/** The render thread: draws and encodes one picture after another, away from the event loop. */
import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { imageOf, videoOf } from "./draw.ts";
import { UNFINISHED_ENDING, type RenderRequest } from "./picture.ts";
import { writeVideo } from "./video-file.ts";

parentPort?.on("message", (request: RenderRequest) => {
  void render(request).then((fault) => parentPort?.postMessage(fault));
});

async function render(request: RenderRequest): Promise<string | undefined> {
  const { picture, style, path, abandoned } = request;
  // The name is its own: another replica on the same folder may render the same file.
  const unfinished = `${path}.${randomUUID()}${UNFINISHED_ENDING}`;
  try {
    await (picture.kind === "image"
      ? writeFile(unfinished, imageOf(picture, style))
      : writeVideo(unfinished, videoOf(picture, style), () => Atomics.load(abandoned, 0) !== 0));
    await rename(unfinished, path);
    return undefined;
  } catch (error) {
    await rm(unfinished, { force: true });
    return (error as Error).message;
  }
}
