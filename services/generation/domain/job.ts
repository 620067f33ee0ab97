/** A job: what a generation's row asks of an upstream, in the terms that every provider understands. */
import { createHash } from "node:crypto";
import { VideoInputSchema, type Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { KindName } from "#vocabulary/kind.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import type { SubmitAddress } from "./callback.ts";
import { submitBegunAt } from "./deadlines.ts";
import { inputFromJson, type GenerationRow } from "./generation.ts";
import { parseSize, type Size } from "./size.ts";

/** The bytes of a picture, and the type that was detected from them. */
export type Picture = { content: Uint8Array; contentType: string };

/** Fields that do not apply to the job's kind are absent. */
export type Job = {
  /**
   * Unique to one submit. Upstreams that accept one are sent it, so that `find` can tell whether the submit arrived.
   */
  token: string;
  /** When the submit began; the same whenever the submit is looked for. */
  submittedAt: Date;
  kind: KindName;
  mode: ModeName;
  /** The upstream's own name of the model. */
  model: string;
  /** Parameters from the upstream's configuration, e.g. the dialect or the resolution. */
  parameters: Readonly<Record<string, unknown>>;
  /** The unguessable URL for the upstream's callbacks; absent where callbacks are off. */
  callbackUrl?: string;
  /** A stable pseudonym of the account, for upstreams that require one. */
  endUser: string;
  prompt: string;
  negativePrompt?: string;
  imageUrls: string[];
  /** The bytes of `imageUrls`, in their order; only in a submit to an upstream that takes bytes. */
  pictures?: readonly Picture[];
  width: number;
  height: number;
  /** E.g. "16:9"; absent where the client chose a size. */
  aspectRatio?: string;
  durationSeconds?: number;
  seed?: number;
  promptExtend?: boolean;
  metadata: Readonly<Record<string, string>>;
};

/** What the configuration of an upstream adds to a job. */
export type UpstreamFields = {
  upstreamModel: string;
  parameters: Readonly<Record<string, unknown>>;
  callbackUrl?: (submit: SubmitAddress) => string;
};

/** The models and the pixel sizes of their videos. */
export type Frames = {
  find: (modelId: string) => Model | undefined;
  frame: (model: Model, aspectRatio: string) => Size;
};

/** The job of one submit, which `token` names. A model that is no longer in the catalog has the size 0x0. */
export function jobOf(
  row: GenerationRow,
  token: string,
  frames: Frames,
  upstream: UpstreamFields,
): Job {
  const input = inputFromJson(row.kind, row.input);
  const common = {
    token,
    submittedAt: submitBegunAt(row),
    kind: row.kind,
    mode: row.mode,
    model: upstream.upstreamModel,
    parameters: upstream.parameters,
    endUser: endUserOf(row.accountId),
    ...callbackUrlOf(row, token, upstream),
    prompt: input.prompt,
    ...(input.negativePrompt === undefined ? {} : { negativePrompt: input.negativePrompt }),
    metadata: input.metadata,
  };
  if (input.$typeName === VideoInputSchema.typeName) {
    const model = frames.find(row.model);
    const size = model ? frames.frame(model, input.aspectRatio ?? "") : parseSize("");
    return {
      ...common,
      ...size,
      imageUrls: input.imageUrl === undefined ? [] : [input.imageUrl],
      ...(input.aspectRatio === undefined ? {} : { aspectRatio: input.aspectRatio }),
      durationSeconds: input.duration ?? 0,
    };
  }
  return {
    ...common,
    ...parseSize(input.size ?? ""),
    imageUrls: input.imageUrls,
    ...(input.seed === undefined ? {} : { seed: input.seed }),
    ...(input.promptExtend === undefined ? {} : { promptExtend: input.promptExtend }),
  };
}

function callbackUrlOf(
  row: GenerationRow,
  token: string,
  upstream: UpstreamFields,
): Pick<Job, "callbackUrl"> {
  const submit = { accountId: row.accountId, generationId: row.id, submitToken: token };
  return upstream.callbackUrl ? { callbackUrl: upstream.callbackUrl(submit) } : {};
}

/** The same for every task of an account; the account cannot be derived from it. */
function endUserOf(accountId: string): string {
  return createHash("sha256").update(`end user of ${accountId}`).digest("hex").slice(0, 32);
}
