/** Suggests which of the known names and values somebody probably meant, who sent one of another API or a slip. */
import { didYouMean } from "#runtime/did-you-mean.ts";

/** What other APIs, and the dashboard, call the fields and values of this one, unless it is near to those. */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  [
    "callback_url webhook_url, first_frame image_url, generate_audio audio, height size aspect_ratio, ratio aspect_ratio",
    "image image_url image_urls file, content file, data file, picture file, images image_urls reference_images, input_reference image_url, last_frame last_image_url",
    "length duration seconds, mask mask_url, model_id model, num_frames duration seconds, num_images n, num_outputs n, quality resolution",
    "aspect_ratio size, image_size size, resolution size, seconds duration, duration seconds, size resolution aspect_ratio, sound audio, text prompt",
    "type kind, user end_user, version model, video video_url, webhook webhook_url, fal_webhook webhook_url, width size aspect_ratio",
    "start_image_url image_url, first_frame_url image_url, first_frame_image image_url, start_image image_url",
    "end_image_url last_image_url, tail_image_url last_image_url, last_frame_url last_image_url, end_image last_image_url",
    "last_frame_image last_image_url, input_image image_url image_urls, image_input image_url image_urls, input_images image_urls reference_images",
    "start from created_after, start_date from created_after, since from created_after",
    "end to created_before, end_date to created_before, until to created_before",
    "starting pending, queued pending, running processing, in_progress processing, succeeded success, completed success, aborted canceled",
    "added recharge, charged capture, restored release, corrected adjustment",
  ].flatMap((row) =>
    row.split(", ").map((names) => [names.split(" ")[0] ?? "", names.split(" ").slice(1)]),
  ),
);

/** The `name` itself where it is known, else those of `known` that other APIs call so. */
export function sameNames(name: string, known: readonly string[]): string[] {
  if (known.includes(name)) return [name];
  return (OTHER_NAMES.get(name) ?? []).filter((one) => known.includes(one));
}

/** A sentence with a space before it; empty where no value is near. Of sizes and ratios the nearest. */
export function meantValue(value: unknown, known: readonly string[]): string {
  if (typeof value !== "string" || value.length > MAX_CHARACTERS) return "";
  const [same] = sameNames(value.toLowerCase(), known);
  if (same !== undefined) return ` Did you mean "${same}"?`;
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
