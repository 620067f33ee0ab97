/** What OpenAI's models take, by the types of the vendor's SDK; videos as the gateways took over that API. */
import type OpenAI from "openai";
import {
  either,
  fieldFault,
  flag,
  listOf,
  matching,
  modelIn,
  object,
  oneOf,
  optional,
  picture,
  pixels,
  required,
  text,
  whole,
  type Check,
  type Field,
  type FieldFault,
  type Fields,
} from "./fields.ts";

type Generate = OpenAI.Images.ImageGenerateParams;
type Edit = OpenAI.Images.ImageEditParams;

/** Fields that belong to SVG and animation, which no model here makes. */
type Drawings = "svg" | "complexity" | "frame_count" | "frame_duration_ms";
/** Fields of models that are retired, or that the vendor refuses to the models here. */
type Retired = "response_format" | "style";

const anySize: Check = (value) => {
  const [width = 0, height = 0] = String(value).split("x").map(Number);
  const ratio = width / height;
  const isSized = pixels("x", 1, 3840 * 2160)(value) && width % 16 === 0 && height % 16 === 0;
  return isSized && ratio <= 3 && ratio >= 1 / 3;
};
const SIZES = ["auto", "1024x1024", "1536x1024", "1024x1536"];
const QUALITIES = ["low", "medium", "high", "auto"];

type ImageModel = { size: Check; quality: Check; isTransparent: boolean };
const flexible = (...qualities: string[]): ImageModel => ({
  size: either(oneOf(...SIZES), anySize),
  quality: oneOf(...QUALITIES, ...qualities),
  isTransparent: true,
});
const fixed: ImageModel = {
  size: oneOf(...SIZES),
  quality: oneOf(...QUALITIES),
  isTransparent: true,
};

const IMAGES: Record<string, ImageModel> = {
  "gpt-image-1": fixed,
  "gpt-image-1-mini": fixed,
  "gpt-image-1.5": fixed,
  "gpt-image-2": { ...flexible(), isTransparent: false },
  "gpt-image-2.5-sunburst": flexible("xhigh", "max"),
  "gpt-image-2.5-flare": flexible("xhigh", "max"),
  "gpt-image-2.6": flexible("xhigh", "max"),
};

const common = ({ size, quality, isTransparent }: ImageModel) => ({
  model: required(text()),
  prompt: required(text(32_000)),
  n: optional(whole(1, 10)),
  size: optional(size),
  quality: optional(quality),
  background: optional(
    isTransparent ? oneOf("transparent", "opaque", "auto") : oneOf("opaque", "auto"),
  ),
  output_format: optional(oneOf("png", "jpeg", "webp")),
  output_compression: optional(whole(0, 100)),
  partial_images: optional(whole(0, 3)),
  safety_identifier: optional(text(64)),
  stream: optional(flag),
  user: optional(text()),
});

/** The fault of a create's JSON; "model" where no model has that name. */
export function openaiImageFault(body: unknown): FieldFault | undefined {
  const model = modelIn(IMAGES, body);
  if (!model) return { why: "unknown", field: "model" };
  const fields = {
    ...common(model),
    moderation: optional(oneOf("auto", "low")),
  } satisfies Record<Exclude<keyof Generate, Drawings | Retired>, Field>;
  return fieldFault(body, fields);
}

/** The fault of an edit's JSON, which knows pictures by their URLs, and few sizes. */
export function openaiJsonEditFault(body: unknown): FieldFault | undefined {
  const model = modelIn(IMAGES, body);
  if (!model) return { why: "unknown", field: "model" };
  const { partial_images: _, ...fields } = common({ ...model, size: oneOf(...SIZES) });
  const one = object({ image_url: optional(picture), file_id: optional(text()) });
  return fieldFault(body, {
    ...fields,
    images: required(listOf(one, 1, 16)),
    mask: optional(one),
    input_fidelity: optional(oneOf("low", "high")),
    moderation: optional(oneOf("auto", "low")),
  });
}

const NUMBERS = new Set(["n", "output_compression", "partial_images"]);

/** The fault of an edit's form: its pictures are files. */
export function openaiFormEditFault(form: FormData): FieldFault | undefined {
  const model = modelIn(IMAGES, { model: form.get("model") });
  if (!model) return { why: "unknown", field: "model" };
  const isFile: Check = (value) => value instanceof File && value.size > 0;
  const image = form.getAll("image[]").length > 0 ? form.getAll("image[]") : form.getAll("image");
  const entries = [...form].filter(([name]) => !/^image(\[\])?$/.test(name));
  const typed = entries.map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]);
  const body = { ...Object.fromEntries(typed), image } as Record<string, unknown>;
  const fields = {
    ...common(model),
    image: required(listOf(isFile, 1, 16)),
    mask: optional(isFile),
    markup: optional(isFile),
    input_fidelity: optional(oneOf("low", "high")),
    stream: optional(matching(/^(true|false)$/)),
  } satisfies Record<Exclude<keyof Edit, Drawings | Retired>, Field>;
  return fieldFault(body, fields);
}

const VIDEO: Fields = {
  model: required(text()),
  prompt: required(text(32_000)),
  seconds: optional(oneOf("4", "8", "12")),
  size: optional(oneOf("720x1280", "1280x720", "1024x1792", "1792x1024")),
  input_reference: optional(object({ image_url: optional(picture), file_id: optional(text()) })),
  // A field of a gateway.
  quality: optional(oneOf("standard", "pro")),
};
const VIDEOS = { "sora-2": VIDEO, "sora-2-pro": VIDEO };

/** The fault of a video's JSON. */
export function openaiVideoFault(body: unknown): FieldFault | undefined {
  const fields = modelIn(VIDEOS, body);
  return fields ? fieldFault(body, fields) : { why: "unknown", field: "model" };
}
