/** The render thread: draws and encodes one picture after another, away from the event loop. */
import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { fixtureImage, fixtureVideo } from "./fixture.ts";
import { sceneImage } from "./scene-image.ts";
import { sceneVideo } from "./scene-video.ts";
import type { Picture, RenderStyle } from "./picture.ts";
import { UNFINISHED_ENDING, type RenderReply, type RenderRequest } from "./messages.ts";
import { writeVideo } from "./video-file.ts";

parentPort?.on("message", (request: RenderRequest) => {
  void render(request).then((reply) => parentPort?.postMessage(reply));
});

async function render({ picture, style, path, abandoned }: RenderRequest): Promise<RenderReply> {
  // The name is its own: another replica on the same folder may render the same file.
  const unfinished = `${path}.${randomUUID()}${UNFINISHED_ENDING}`;
  try {
    await draw(picture, style, unfinished, () => Atomics.load(abandoned, 0) !== 0);
    await rename(unfinished, path);
    return { ok: true };
  } catch (error) {
    await rm(unfinished, { force: true });
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

async function draw(
  picture: Picture,
  style: RenderStyle,
  path: string,
  isAbandoned: () => boolean,
): Promise<void> {
  const { scene } = picture;
  const size = { width: picture.width, height: picture.height };
  const isDrawn = style === "draw";
  if (picture.kind === "image") {
    await writeFile(path, isDrawn ? sceneImage(scene, size, picture) : fixtureImage(size, picture));
    return;
  }
  const video = isDrawn
    ? sceneVideo(scene, size, picture.durationSeconds)
    : fixtureVideo(size, picture.durationSeconds);
  await writeVideo(path, video, isAbandoned);
}
