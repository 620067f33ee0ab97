/** Suggests which of the known values somebody probably meant, who sent one of another API or a slip. */
import { didYouMean } from "#runtime/did-you-mean.ts";

/** What other APIs and the dashboard call values of this one, unless it is near to those. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  starting: "pending",
  queued: "pending",
  running: "processing",
  in_progress: "processing",
  succeeded: "success",
  completed: "success",
  aborted: "canceled",
  added: "recharge",
  charged: "capture",
  restored: "release",
  corrected: "adjustment",
};

/** A sentence with a space before it; empty where no value is near. Of sizes and ratios the nearest. */
export function meantValue(value: unknown, known: readonly string[]): string {
  if (typeof value !== "string" || value.length > MAX_CHARACTERS) return "";
  const other = OTHER_NAMES[value.toLowerCase()];
  if (other !== undefined && known.includes(other)) return ` Did you mean "${other}"?`;
  const nearest = nearestFrame(value, known);
  return nearest === undefined ? didYouMean(value, known) : ` The nearest is ${nearest}.`;
}

/** Longer than any value. */
const MAX_CHARACTERS = 100;

type Frame = { width: number; height: number };

const PIXELS = /^(\d{1,5}) ?[x*:×] ?(\d{1,5})$/i;
/** fal's names: `landscape_16_9`. */
const NAMED = /^(landscape|portrait)_(\d{1,2})_(\d{1,2})$/i;

function frameOf(text: string): Frame | undefined {
  if (/^square(_hd)?$/i.test(text)) return { width: 1, height: 1 };
  const [, name, long, short] = NAMED.exec(text) ?? [];
  const [, width, height] = PIXELS.exec(text) ?? [];
  const isTall = name?.toLowerCase() === "portrait";
  const sides = name === undefined ? [width, height] : isTall ? [short, long] : [long, short];
  const [w = 0, h = 0] = sides.map(Number);
  return w > 0 && h > 0 ? { width: w, height: h } : undefined;
}

/** Below it a side is that of a ratio, which has no area. */
const MIN_SIDE = 100;
/** Of a picture of which only the ratio is known. */
const USUAL_AREA = 2 ** 20;
/** A picture of the wrong shape is cut off, one of the wrong size only scaled. */
const RATIO_WEIGHT = 10;

function nearestFrame(asked: string, known: readonly string[]): string | undefined {
  const wanted = frameOf(asked);
  if (!wanted) return undefined;
  const distance = (one: Frame) =>
    RATIO_WEIGHT * Math.abs(Math.log(ratioOf(wanted) / ratioOf(one))) +
    Math.abs(Math.log(areaOf(wanted) / areaOf(one)));
  const frames = known.flatMap((text) => {
    const frame = frameOf(text);
    return frame ? [{ text, distance: distance(frame) }] : [];
  });
  return frames.toSorted((one, other) => one.distance - other.distance)[0]?.text;
}

function ratioOf({ width, height }: Frame): number {
  return width / height;
}

function areaOf({ width, height }: Frame): number {
  return width < MIN_SIDE ? USUAL_AREA : width * height;
}
