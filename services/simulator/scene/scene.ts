/** Composes a scene: the same specification and size always give the same one. */
import { drawCaption } from "./caption.ts";
import { drawNebula, drawPlanets } from "./cosmos.ts";
import { drawLand } from "./land.ts";
import { drawParticles } from "./particles.ts";
import { paletteOf } from "./palette.ts";
import { randomFrom } from "./random.ts";
import { drawClouds, drawLight, drawSky, drawStars } from "./sky.ts";
import type { SceneSpec } from "./spec.ts";
import type { Scene, Size, Sprite } from "./sprite.ts";

export function composeScene({ random_seed, land, hour, caption }: SceneSpec, size: Size): Scene {
  const random = randomFrom(random_seed);
  const palette = paletteOf(hour, random);
  const distant: Sprite[] = [];
  const near: Sprite[] = [];
  if (land === "space") {
    const hue = random.between(0, 360);
    distant.push(drawStars(size, random, 190, 1), drawNebula(size, random, hue));
    near.push(...drawPlanets(size, random, hue));
    return finish(drawSky(size, palette, 1));
  }
  const horizon = random.between(0.54, 0.62);
  if (palette.starry) distant.push(drawStars(size, random, 110, horizon));
  distant.push(drawLight(size, palette, random), drawClouds(size, palette, random));
  near.push(...drawLand(land, size, palette, random, horizon));
  return finish(drawSky(size, palette, horizon));

  function finish(background: Scene["background"]): Scene {
    near.push(drawParticles(size, palette, random), drawCaption(caption, size));
    return { background, distant, near };
  }
}
