/** The request of a video, of the AI SDK's options. */
import type { Experimental_VideoModelV4 as VideoModelV4, SharedV4Warning } from "@ai-sdk/provider";
import type { Model, VideoBody, VideoRequest } from "../typescript/index.ts";
import { ownFields, pictureOf, refuse, RequestFields, withSameShape } from "./requests.ts";

/** `providerOptions.mediaGeneration`: fields of the API's request that the AI SDK has no option for. */
export type VideoOptions = Partial<Omit<VideoBody, "model" | "prompt" | "webhook_url">>;

export type StartCall = Parameters<NonNullable<VideoModelV4["doStart"]>>[0];

/** The options that depend on the model. */
export function videoHints({ seed, resolution, generateAudio }: StartCall): unknown[] {
  return [seed, resolution, generateAudio];
}

/** `model` is there where one of the hints is. */
export function videoRequest(
  modelId: string,
  call: StartCall,
  model: Model | undefined,
): { request: VideoRequest; warnings: SharedV4Warning[] } {
  const { prompt = "", duration, fps, seed, generateAudio, providerOptions, webhookUrl } = call;
  const built = new RequestFields();
  built.set("duration", duration);
  setFrame(built, call, model);
  if (fps !== undefined) built.leave("fps", "The model decides.");
  built.parameter("seed", "seed", seed, model);
  built.parameter("generateAudio", "audio", generateAudio, model);
  setPictures(built, call);
  built.set("webhook_url", webhookUrl);
  const own = ownFields(providerOptions);
  return {
    request: { model: modelId, prompt, ...built.fields, ...own },
    warnings: built.warnings,
  };
}

/** The AI SDK's `resolution` is the frame in pixels: its shape is an aspect ratio here, its shorter side the resolution. */
function setFrame(
  built: RequestFields,
  { aspectRatio, resolution }: StartCall,
  model: Model | undefined,
): void {
  if (aspectRatio === "adaptive") built.leave("aspectRatio", "The model decides, or the picture.");
  else built.set("aspect_ratio", aspectRatio);
  if (resolution === undefined) return;
  const ratios = model?.aspect_ratios ?? [];
  const ratio = withSameShape(ratios, resolution);
  if (aspectRatio === undefined) built.set("aspect_ratio", ratio);
  const lines = Math.min(...resolution.split("x").map(Number));
  const names = [`${lines}P`, ...(NAMES_OF_LINES[lines] ?? [])];
  const { values = [] } = model?.parameters["resolution"] ?? {};
  const makes = [...new Set([...(model?.resolution ? [model.resolution] : []), ...values])];
  const value = makes.find((each) => names.includes(each));
  if (value !== model?.resolution) built.set("resolution", value);
  if (value === undefined || (aspectRatio === undefined && ratio === undefined))
    refuse("resolution", resolution, [`${makes.join(", ")} in ${ratios.join(", ")}`]);
}

const NAMES_OF_LINES: Readonly<Record<number, readonly string[]>> = {
  1080: ["1K"],
  1440: ["2K"],
  2160: ["4K"],
};

function setPictures(built: RequestFields, call: StartCall): void {
  const { image, frameImages = [], inputReferences = [] } = call;
  const frame = (type: string) => frameImages.find(({ frameType }) => frameType === type)?.image;
  const first = frame("first_frame") ?? image;
  const last = frame("last_frame");
  built.set("image_url", first && pictureOf(first));
  built.set("last_image_url", last && pictureOf(last));
  const isVideo = ({ mediaType = "" }: { mediaType?: string }) => mediaType.startsWith("video/");
  const [video, ...more] = inputReferences.filter(isVideo);
  if (video?.type === "url") built.set("video_url", video.url);
  if (video?.type === "file" || more.length > 0)
    built.leave("inputReferences", "At most one video, by its URL.");
  const pictures = inputReferences.filter((each) => !isVideo(each));
  const references = pictures.map((each) => ({ url: pictureOf(each), role: "subject" }));
  built.set("reference_images", references.length ? references : undefined);
}
