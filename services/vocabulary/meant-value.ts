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
  const nearest = nearestShape(value, known);
  return nearest === undefined ? didYouMean(value, known) : ` The nearest is ${nearest}.`;
}

/** Longer than any value. */
const MAX_CHARACTERS = 100;

/** Pixels, a ratio, or how fal names one: `landscape_16_9`. */
const SHAPE = /^(landscape_|portrait_)?(\d{1,5}) ?[x*:×_] ?(\d{1,5})$/i;

function shapeOf(text: string) {
  const [, name, first, second] = SHAPE.exec(text.replace(/^square(_hd)?$/i, "1:1")) ?? [];
  const sides = [Number(first), Number(second)] as const;
  const [width, height] = name?.toLowerCase() === "portrait_" ? sides.toReversed() : sides;
  return width > 0 && height > 0 ? { width, ratio: width / height } : undefined;
}

/** By its ratio: a picture of the wrong shape is cut off, one of the wrong size only scaled. Then by its width. */
function nearestShape(asked: string, known: readonly string[]): string | undefined {
  const wanted = shapeOf(asked);
  if (!wanted) return undefined;
  const shapes = known.flatMap((text) => {
    const shape = shapeOf(text);
    if (!shape) return [];
    const byRatio = Math.abs(Math.log(wanted.ratio / shape.ratio));
    return [{ text, byRatio, byWidth: Math.abs(wanted.width - shape.width) }];
  });
  return shapes.toSorted((a, b) => a.byRatio - b.byRatio || a.byWidth - b.byWidth)[0]?.text;
}
