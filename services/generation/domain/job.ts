/** What a generation's row asks of an upstream. */
import { createHash } from "node:crypto";
import { VideoInputSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Upstream } from "../upstreams/index.ts";
import type { Job } from "../providers/provider.ts";
import { inputFromJson } from "./generation.ts";
import type { GenerationRow } from "./generation.ts";
import { parseSize } from "./size.ts";

/** The route's part of a job. */
export type UpstreamFields = Pick<Upstream, "upstreamModel" | "parameters" | "callbackUrl">;

export function jobOf(
  row: GenerationRow,
  token: string,
  catalog: Catalog,
  route: UpstreamFields,
): Job {
  const input = inputFromJson(row.kind, row.input);
  const model = catalog.find(row.model);
  const common = {
    token,
    kind: row.kind,
    mode: row.mode,
    model: route.upstreamModel,
    parameters: route.parameters,
    endUser: endUserOf(row.account_id),
    ...calledBack(row, token, route),
    prompt: input.prompt,
    ...(input.negativePrompt === undefined ? {} : { negativePrompt: input.negativePrompt }),
    metadata: input.metadata,
  };
  if (input.$typeName === VideoInputSchema.typeName) {
    const frame = model ? catalog.frame(model, input.aspectRatio ?? "") : parseSize("");
    return {
      ...common,
      ...frame,
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

function calledBack(
  row: GenerationRow,
  token: string,
  route: UpstreamFields,
): Pick<Job, "callbackUrl"> {
  const submit = { accountId: row.account_id, generationId: row.id, submitToken: token };
  return route.callbackUrl ? { callbackUrl: route.callbackUrl(submit) } : {};
}

/** The same for every task of an account, and not to be led back to it. */
function endUserOf(accountId: string): string {
  return createHash("sha256").update(`end user of ${accountId}`).digest("hex").slice(0, 32);
}
