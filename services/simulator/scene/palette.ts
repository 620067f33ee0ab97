/** Colours of a scene: a time of day, with its hues turned a little by the seed. */
import type { Random } from "./random.ts";

/** Hue in degrees, saturation and lightness in percent. */
export type Hsl = readonly [hue: number, saturation: number, lightness: number];

export type Palette = {
  /** The colours from the zenith to the horizon. */
  readonly sky: readonly Hsl[];
  /** The sun or the moon. */
  readonly light: Hsl;
  readonly cloud: Hsl;
  /** What stands at the horizon, and what stands before the viewer. */
  readonly far: Hsl;
  readonly near: Hsl;
  /** At night. */
  readonly stars?: number;
};

export type Hour = "dawn" | "day" | "dusk" | "night";

const hsl = (...color: Hsl): Hsl => color;

const PALETTES: Record<Hour, Palette> = {
  dawn: {
    sky: [hsl(226, 42, 34), hsl(268, 32, 52), hsl(348, 62, 72), hsl(28, 92, 82)],
    light: [42, 100, 88],
    cloud: [12, 80, 88],
    far: [300, 24, 62],
    near: [258, 38, 18],
  },
  day: {
    sky: [hsl(212, 72, 44), hsl(204, 76, 64), hsl(196, 70, 82), hsl(48, 60, 92)],
    light: [50, 100, 92],
    cloud: [210, 60, 97],
    far: [196, 36, 66],
    near: [168, 48, 20],
  },
  dusk: {
    sky: [hsl(246, 46, 20), hsl(288, 42, 38), hsl(340, 66, 56), hsl(26, 96, 66)],
    light: [34, 100, 74],
    cloud: [344, 60, 66],
    far: [316, 34, 46],
    near: [250, 46, 12],
  },
  night: {
    sky: [hsl(232, 62, 9), hsl(228, 54, 16), hsl(216, 48, 28), hsl(200, 44, 40)],
    light: [52, 60, 92],
    cloud: [220, 36, 46],
    far: [216, 34, 34],
    near: [230, 50, 8],
    stars: 140,
  },
};

export function paletteOf(hour: Hour, random: Random): Palette {
  const turn = random.between(-22, 22);
  const turned = ([hue, saturation, lightness]: Hsl): Hsl => [hue + turn, saturation, lightness];
  const base = PALETTES[hour];
  const [sky, cloud] = [base.sky.map(turned), turned(base.cloud)];
  return { ...base, sky, cloud, far: turned(base.far), near: turned(base.near) };
}

/** The colour at `share` (0–1) of the way from one to the other, along the shorter arc of hues. */
export function mix(from: Hsl, to: Hsl, share: number): Hsl {
  const arc = ((to[0] - from[0] + 540) % 360) - 180;
  const between = (at: 1 | 2): number => from[at] + (to[at] - from[at]) * share;
  return [from[0] + arc * share, between(1), between(2)];
}

export function lighter(color: Hsl, byPercent: number): Hsl {
  return [color[0], color[1], Math.min(100, Math.max(0, color[2] + byPercent))];
}

export function css([hue, saturation, lightness]: Hsl, opacity = 1): string {
  const turned = ((hue % 360) + 360) % 360;
  return `hsla(${turned}, ${saturation}%, ${lightness}%, ${opacity})`;
}
