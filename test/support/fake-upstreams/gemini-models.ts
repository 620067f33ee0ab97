/** What Gemini's models take, by the types of the vendor's SDK. */
import type { Interactions } from "@google/genai";
import {
  fieldFault,
  flag,
  listOf,
  matching,
  number,
  object,
  oneOf,
  optional,
  required,
  text,
  whole,
  type Check,
  type Field,
  type FieldFault,
  type Fields,
} from "./fields.ts";

const base64 = matching(/^[\w+/=]+$/);
const seed = optional(whole(0, 2 ** 31 - 1));
const anything: Check = () => true;

type ImageModel = { ratios: string[]; sizes: string[] };
const RATIOS = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const IMAGES: Record<string, ImageModel> = {
  "gemini-3.1-flash-image": { ratios: RATIOS, sizes: ["1K", "2K", "4K"] },
  "gemini-3.1-flash-lite-image": { ratios: RATIOS, sizes: ["1K"] },
  "gemini-3-pro-image": { ratios: RATIOS, sizes: ["1K", "2K", "4K"] },
};

/** The fault of a body of `generateContent`; "model" where no image model has that name. */
export function geminiImageFault(name: string, body: unknown): FieldFault | undefined {
  const model = IMAGES[name];
  if (!model) return { why: "unknown", field: "model" };
  const inlineData = object({ mimeType: required(matching(/^image\//)), data: required(base64) });
  const part = object({ text: optional(text()), inlineData: optional(inlineData) });
  const content = object({
    role: optional(oneOf("user", "model")),
    parts: required(listOf(part, 1)),
  });
  const config: Fields = {
    responseModalities: optional(listOf(oneOf("TEXT", "IMAGE"), 1)),
    imageConfig: optional(
      object({
        aspectRatio: optional(oneOf(...model.ratios)),
        imageSize: optional(oneOf(...model.sizes)),
      }),
    ),
    seed,
    temperature: optional(number(0, 2)),
    candidateCount: optional(whole(1, 1)),
  };
  const { generationConfig = {} } = (body ?? {}) as { generationConfig?: unknown };
  const fault = fieldFault(body, {
    contents: required(listOf(content, 1)),
    generationConfig: optional(anything),
    safetySettings: optional(listOf(anything)),
    systemInstruction: optional(anything),
  });
  return fault ?? fieldFault(generationConfig, config);
}

/** Each field that the SDK knows, and no other. */
type FieldsOf<Body> = Record<keyof Body & string, Field>;

const VIDEO_MODELS = [
  "gemini-omni-1.2-flash",
  "gemini-omni-1.1-flash",
  "gemini-omni-flash-preview",
];

const format = {
  type: required(oneOf("video")),
  aspect_ratio: optional(oneOf("16:9", "9:16")),
  duration: optional(matching(/^\d+s$/)),
  resolution: optional(oneOf("360p", "720p", "1080p", "4k")),
  delivery: optional(oneOf("inline", "uri")),
  gcs_uri: optional(text()),
} satisfies FieldsOf<Interactions.VideoResponseFormat>;

/** The fault of an interaction's body; "model" where no video model has that name. */
export function geminiInteractionFault(body: unknown): FieldFault | undefined {
  const { model, response_format, input } = (body ?? {}) as Record<string, unknown>;
  if (!VIDEO_MODELS.includes(String(model))) return { why: "unknown", field: "model" };
  const content = object({
    type: required(oneOf("text", "image")),
    text: optional(text()),
    mime_type: optional(matching(/^image\//)),
    data: optional(base64),
    uri: optional(text()),
  });
  const isInput: Check = (value) =>
    text()(value) ||
    (listOf(content, 1)(value) && (value as object[]).some((part) => "text" in part));
  const fields = {
    model: required(text()),
    input: required(isInput),
    background: optional(flag),
    store: optional(flag),
    stream: optional(flag),
    response_format: optional(anything),
    generation_config: optional(anything),
    labels: optional(anything),
    previous_interaction_id: optional(text()),
    safety_settings: optional(listOf(anything)),
    service_tier: optional(text()),
    system_instruction: optional(text()),
    webhook_config: optional(
      object({ uris: optional(listOf(text())), user_metadata: optional(anything) }),
    ),
  };
  const fault = fieldFault(body, fields);
  if (fault) return fault;
  const formats = [response_format ?? { type: "video" }].flat();
  return input === undefined
    ? undefined
    : formats.map((one) => fieldFault(one, format)).find(Boolean);
}
