/** A job: what a generation's row asks of an upstream, in the terms that every provider understands. */
import { createHash } from "node:crypto";
import { VideoInputSchema, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { KindName, ModeName } from "#vocabulary/names.ts";
import type { SubmitAddress } from "./callback.ts";
import { submitBegunAt } from "./waits.ts";
import { inputFromJson, type GenerationRow } from "./generation.ts";
import { outputsAsked } from "./plan.ts";

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

/** A picture of what a video shows ("subject"), or of how it looks ("style"). */
export type Reference = { url: string; role: string };

/** Fields that do not apply to the job's kind are absent. */
export type Job = {
  /**
   * Unique to one submit. The simulator is sent it; vendors see it in a callback URL or as a seed. `find` looks for it.
   */
  token: string;
  /** When the submit began; the same whenever the submit is looked for. */
  submittedAt: Date;
  kind: KindName;
  mode: ModeName;
  model: string;
  /** Parameters from the upstream's configuration, e.g. the dialect or the resolution. */
  parameters: Readonly<Record<string, unknown>>;
  /** The unguessable URL for the upstream's callbacks; absent where callbacks are off. */
  callbackUrl?: string;
  /** A stable pseudonym of the account's user, or of the account, for upstreams that require one. */
  endUser: string;
  prompt: string;
  negativePrompt?: string;
  imageUrls: string[];
  /** The bytes of `imageUrls`, in their order, then of `maskUrl`; only in a submit to an upstream that takes bytes. */
  pictures?: readonly Picture[];
  width: number;
  height: number;
  /** E.g. "16:9"; absent where the client chose a size. */
  aspectRatio?: string;
  durationSeconds?: number;
  seed?: number;
  promptExtend?: boolean;
  audio?: boolean;
  /** The last frame; the first one is in `imageUrls`. */
  lastImageUrl?: string;
  references?: readonly Reference[];
  /** To be extended or edited. */
  videoUrl?: string;
  /** How many images, where it is more than one. */
  count?: number;
  /** Where the first of `imageUrls` is to be changed. */
  maskUrl?: string;
  /** "opaque" or "transparent". */
  background?: string;
  /** "png", "jpeg" or "webp". */
  outputFormat?: string;
  metadata: Readonly<Record<string, string>>;
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

/** The job of one submit, which `token` names. A model that is no longer in the catalog has the size 0x0. */
export function jobOf(row: Asked, token: string, frames: Frames, upstream: UpstreamFields): Job {
  const input = inputFromJson(row.kind, row.input);
  const submit = { accountId: row.accountId, generationId: row.id, submitToken: token };
  const common = {
    token,
    submittedAt: submitBegunAt(row),
    kind: row.kind,
    mode: row.mode,
    model: upstream.upstreamModel,
    parameters: upstream.parameters,
    endUser: endUserOf(row.accountId, input.endUser),
    ...defined({ callbackUrl: upstream.callbackUrl?.(submit) }, "callbackUrl"),
    prompt: input.prompt,
    ...defined(input, "negativePrompt", "seed"),
    metadata: input.metadata,
  };
  if (input.$typeName === VideoInputSchema.typeName) {
    const model = frames.find(row.model);
    const size = model
      ? frames.frame(model, input.aspectRatio ?? "", input.resolution)
      : parseSize("");
    const references = input.referenceImages.map(({ url, role }) => ({ url, role }));
    return {
      ...common,
      ...size,
      imageUrls: input.imageUrl === undefined ? [] : [input.imageUrl],
      durationSeconds: input.duration ?? 0,
      ...defined(input, "aspectRatio", "audio", "lastImageUrl", "videoUrl"),
      ...(references.length === 0 ? {} : { references }),
    };
  }
  return {
    ...common,
    ...parseSize(input.size ?? ""),
    imageUrls: input.imageUrls,
    ...defined(input, "promptExtend", "maskUrl", "background", "outputFormat"),
    ...(outputsAsked(input) > 1 ? { count: outputsAsked(input) } : {}),
  };
}

/** Whether the upstream has to fetch something that the client named. */
export function namesUrls({ imageUrls, references = [], videoUrl, maskUrl }: Job): boolean {
  return imageUrls.length + references.length > 0 || (videoUrl ?? maskUrl) !== undefined;
}

/** Those of the fields that are there. */
function defined<T extends object, N extends keyof T>(from: T, ...names: N[]) {
  const fields = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]);
  return Object.fromEntries(fields) as { [K in N]?: Exclude<T[K], undefined> };
}

/** The same for every task of an account for the same user; neither can be derived from it. */
function endUserOf(accountId: string, endUser = ""): string {
  const name = `end user${endUser && ` ${endUser}`} of ${accountId}`;
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}
