/** A job: what a generation's row asks of an upstream, in the terms that every provider understands. */
import { createHash } from "node:crypto";
import type {
  ImageInput,
  Model,
  ReferenceImage,
  VideoInput,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { KindName, ModeName } from "#vocabulary/names.ts";
import type { SubmitAddress } from "./callback.ts";
import { submitBegunAt } from "./waits.ts";
import { inputFromJson, type GenerationRow } from "./generation.ts";
import { isVideo, outputsAsked, type Input } from "./plan.ts";

/** In pixels. */
export type Size = { width: number; height: number };

/** Parses "1280x720". */
export function parseSize(size: string): Size {
  const [width = 0, height = 0] = size.split("x").map(Number);
  return { width, height };
}

export const sizeText = ({ width, height }: Size) => `${width}x${height}`;

/** The bytes of a picture, and the type that was detected from them. */
export type Picture = { content: Uint8Array; contentType: string };

/** What a job has as the request has it. The first frame, and what `maskUrl` covers, is the first of `imageUrls`. */
type AskedFields = Pick<Input, "prompt" | "negativePrompt" | "seed" | "metadata"> &
  Partial<Pick<VideoInput, "aspectRatio" | "audio" | "lastImageUrl" | "videoUrl">> &
  Partial<Pick<ImageInput, "promptExtend" | "maskUrl" | "background" | "outputFormat">>;

/** Fields of the other kind are absent or undefined, as is `aspectRatio` where the client chose a size. */
export type Job = AskedFields & {
  /** Unique to one submit, and what `find` looks for. The simulator gets it; vendors, in a callback URL or seed. */
  token: string;
  /** When the submit began; the same whenever the submit is looked for. */
  submittedAt: Date;
  kind: KindName;
  mode: ModeName;
  model: string;
  /** Parameters from the upstream's configuration, e.g. the dialect or the resolution. */
  parameters: Readonly<Record<string, unknown>>;
  /** The unguessable URL for the upstream's callbacks; absent where callbacks are off. */
  callbackUrl?: string | undefined;
  /** A stable pseudonym of the account's user, or of the account, for upstreams that require one. */
  endUser: string;
  imageUrls: string[];
  /** The bytes of `imageUrls`, in their order, then of `maskUrl`; only in a submit to an upstream that takes bytes. */
  pictures?: readonly Picture[];
  width: number;
  height: number;
  durationSeconds?: number;
  references?: readonly Pick<ReferenceImage, "url" | "role">[] | undefined;
  /** How many images, where it is more than one. */
  count?: number | undefined;
};

/** The token of a worker's submits of a row: each has one of its own. */
export function submitTokenOf(
  { id, fence }: Pick<GenerationRow, "id" | "fence">,
  ordinal = 0,
): string {
  return ordinal === 0 ? `${id}.${fence}` : `${id}.${fence}.${ordinal}`;
}

/** What the configuration of an upstream adds to a job. */
export type UpstreamFields = {
  upstreamModel: string;
  parameters: Readonly<Record<string, unknown>>;
  callbackUrl?: (submit: SubmitAddress) => string;
};

/** The models and the pixel sizes of their videos. */
export type Frames = {
  find: (modelId: string) => Model | undefined;
  /** `resolution`: absent for the model's own. */
  frame: (model: Model, aspectRatio: string, resolution?: string) => Size;
};

/** What a job is made of. */
type Asked = Pick<
  GenerationRow,
  "accountId" | "id" | "kind" | "mode" | "model" | "input" | "submittedAt" | "createdAt"
>;

/** The job of one submit, which `token` names. */
export function jobOf(row: Asked, token: string, frames: Frames, upstream: UpstreamFields): Job {
  const input = inputFromJson(row.kind, row.input);
  const { prompt, negativePrompt, seed, metadata } = input;
  const submit = { accountId: row.accountId, generationId: row.id, submitToken: token };
  const common = {
    token,
    submittedAt: submitBegunAt(row),
    kind: row.kind,
    mode: row.mode,
    model: upstream.upstreamModel,
    parameters: upstream.parameters,
    endUser: endUserOf(row.accountId, input.endUser),
    callbackUrl: upstream.callbackUrl?.(submit),
    prompt,
    negativePrompt,
    seed,
    metadata,
  };
  if (isVideo(input)) {
    const { imageUrl, referenceImages, aspectRatio, audio, lastImageUrl, videoUrl } = input;
    return {
      ...common,
      ...frameOf(row.model, input, frames),
      imageUrls: imageUrl === undefined ? [] : [imageUrl],
      durationSeconds: input.duration ?? 0,
      aspectRatio,
      audio,
      lastImageUrl,
      videoUrl,
      references: referenceImages.length === 0 ? undefined : referenceImages,
    };
  }
  const { imageUrls, promptExtend, maskUrl, background, outputFormat } = input;
  const count = outputsAsked(input);
  return {
    ...common,
    ...parseSize(input.size ?? ""),
    imageUrls,
    promptExtend,
    maskUrl,
    background,
    outputFormat,
    count: count > 1 ? count : undefined,
  };
}

/** The size of the video; 0x0 where the catalog lacks its frame. */
export function frameOf(
  modelId: string,
  { aspectRatio = "", resolution }: VideoInput,
  frames: Frames,
): Size {
  const model = frames.find(modelId);
  return model ? frames.frame(model, aspectRatio, resolution) : parseSize("");
}

/** Whether the upstream has to fetch something that the client named. */
export function namesUrls({ imageUrls, references = [], videoUrl, maskUrl }: Job): boolean {
  return imageUrls.length + references.length > 0 || (videoUrl ?? maskUrl) !== undefined;
}

/** The same for every task of an account for the same user; neither can be derived from it. */
function endUserOf(accountId: string, endUser = ""): string {
  const name = `end user${endUser && ` ${endUser}`} of ${accountId}`;
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}
