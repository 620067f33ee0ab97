/** The render thread: draws and encodes one picture after another, away from the event loop. */
import { rename, rm, writeFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { fixtureImage, fixtureVideo } from "./fixture.ts";
import { sceneImage } from "./scene-image.ts";
import { sceneVideo } from "./scene-video.ts";
import type { Picture, RenderReply, RenderRequest } from "./task.ts";
import { writeVideo } from "./video-file.ts";

parentPort?.on("message", (request: RenderRequest) => {
  void render(request).then((reply) => parentPort?.postMessage(reply));
});

async function render({ picture, path, abandoned }: RenderRequest): Promise<RenderReply> {
  const unfinished = `${path}.tmp`;
  try {
    await draw(picture, unfinished, () => Atomics.load(abandoned, 0) !== 0);
    await rename(unfinished, path);
    return { ok: true };
  } catch (error) {
    await rm(unfinished, { force: true });
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

async function draw(picture: Picture, path: string, isAbandoned: () => boolean): Promise<void> {
  const { prompt, seed, style } = picture;
  const size = { width: picture.width, height: picture.height };
  const drawn = style === "draw";
  if (picture.kind === "image") {
    await writeFile(path, drawn ? sceneImage(prompt, seed, size) : fixtureImage(size));
    return;
  }
  const video = drawn
    ? sceneVideo(prompt, seed, size, picture.durationSeconds)
    : fixtureVideo(size, picture.durationSeconds);
  await writeVideo(path, video, isAbandoned);
}
