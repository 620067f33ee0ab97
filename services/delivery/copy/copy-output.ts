/** Copies one result of an upstream to storage: fetch, inspect, mark, upload, record, thumbnail. */
import { createHash } from "node:crypto";
import type { LimitFunction } from "p-limit";
import type { Source } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { KindName } from "#vocabulary/names.ts";
import { timed } from "#runtime/metrics/metrics.ts";
import type { Base } from "#runtime/service/service.ts";
import { inSpan } from "#runtime/tracing/tracer.ts";
import type { DeliveryMetrics } from "../metrics/metrics.ts";
import { imageThumbnailKey, videoThumbnailKey } from "../domain/file.ts";
import { download, type Download, type Fault } from "../egress/request.ts";
import { faultOfFile, inMemory, inspectMedia, MediaError, openFile } from "../media/inspect.ts";
import type { FileBytes } from "../media/formats/format.ts";
import { edited, markedBy, type ProvenanceSetting } from "../media/provenance.ts";
import type { MediaDecoder } from "../media/decoder.ts";
import { temporaryFile } from "../storage/filesystem.ts";
import { EXTENSIONS, type ObjectStore } from "../storage/object-store.ts";
import type { AssetWrites, StoredAsset } from "../store/assets.ts";
import { storeThumbnail } from "./thumbnail-maker.ts";

export type CopyDeps = Pick<Base, "sql" | "clock" | "log" | "tracer"> & {
  store: ObjectStore;
  assets: Pick<AssetWrites, "record">;
  decoder: Pick<MediaDecoder, "header" | "thumbnail">;
  /** Results are fetched by `guarded`, those of a configured origin by `direct`: its address may be private. */
  agents: Required<Pick<Download, "guarded" | "direct">>;
  /** The folder for temporary files. */
  directory: string;
  /** Whether files without a mark of AI-generated content get one. */
  provenance: ProvenanceSetting;
  limit: LimitFunction;
  metrics: Pick<DeliveryMetrics, "copies" | "copiedBytes">;
};

export type Copy = {
  accountId: string;
  generationId: string;
  /** Reserved for the output, so that a retry after a crash writes the same object and not a second one. */
  token: string;
  kind: KindName;
  source: Source;
};

export type CopyResult =
  | { outcome: "stored"; asset: StoredAsset }
  | Exclude<Fault, { outcome: "unusable" }>;

export type CopyOutput = ReturnType<typeof outputCopier>;

const COPY_DEADLINE_MS = 5 * 60_000;
const MAX_BYTES = 1024 * 1024 * 1024;

/** A copy that runs is joined, not repeated. Rejects if our disk, storage or database fails. */
export function outputCopier(deps: CopyDeps) {
  const running = new Map<string, Promise<CopyResult>>();
  return (copy: Copy): Promise<CopyResult> => {
    const { token } = copy;
    const joined = running.get(token) ?? timedCopy(deps, copy).finally(() => running.delete(token));
    running.set(token, joined);
    return joined;
  };
}

/** Its time includes the wait for one of the copies that may run at once. */
function timedCopy(deps: CopyDeps, copy: Copy): Promise<CopyResult> {
  const fields = { "media.kind": copy.kind, "media.generation_id": copy.generationId };
  return timed(
    () =>
      inSpan(
        deps.tracer,
        "copy output",
        { kind: "internal", fields },
        () => deps.limit(() => copyOutput(deps, copy)),
        ({ outcome }) => ({ "media.outcome": outcome }),
      ),
    (result, seconds) => {
      const outcome = result.status === "fulfilled" ? result.value.outcome : "error";
      deps.metrics.copies.observe({ kind: copy.kind, outcome }, seconds);
    },
  );
}

async function copyOutput(deps: CopyDeps, copy: Copy): Promise<CopyResult> {
  const { from, headers, configuredOrigin } = copy.source;
  if (from.case === "content") return storeCopy(deps, copy, inMemory(from.value));
  await using file = temporaryFile(deps.directory);
  const { guarded, direct } = deps.agents;
  const signal = AbortSignal.timeout(COPY_DEADLINE_MS);
  const limits = { headers, maxBytes: MAX_BYTES, signal };
  const agents = configuredOrigin ? { guarded, direct } : { guarded };
  const fetched = await download(from.value ?? "", { ...agents, ...limits }, file.write);
  // The next poll may bring another URL.
  if (fetched.outcome === "unusable") return { ...fetched, outcome: "retryable" };
  if (fetched.outcome !== "ok") return fetched;
  await using bytes = await openFile(file.path);
  return await storeCopy(deps, copy, bytes, fetched.isWhole);
}

/** Inspects, marks, stores and records; an image's thumbnail can be made later. */
async function storeCopy(
  deps: CopyDeps,
  { accountId, generationId, token, kind }: Copy,
  file: FileBytes,
  isWhole = true,
): Promise<CopyResult> {
  const info = await inspectMedia(file, deps.decoder.header).catch(faultOfFile);
  if (info instanceof MediaError) {
    const canRetry = info.fault === "unfinished" || (info.fault === "truncated" && !isWhole);
    return { outcome: canRetry ? "retryable" : "refused", reason: info.fault };
  }
  const { contentType, marks, ...shape } = info;
  if (!contentType.startsWith(`${kind}/`)) {
    return { outcome: "refused", reason: `${contentType} instead of ${kind}` };
  }
  const key = `${token}.${EXTENSIONS[contentType]}`;
  const { provenance, edits } = markedBy(deps.provenance, marks);
  const hash = createHash("sha256");
  let bytes = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const chunk of edited(file, edits)) {
      hash.update(chunk);
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  await deps.store.put(key, measured());
  const recorded = await deps.assets.record(accountId, {
    ...shape,
    contentType,
    bytes,
    sha256: hash.digest("hex"),
    provenance,
    key,
    thumbnailKey: kind === "image" ? imageThumbnailKey(token) : null,
    token,
    storedAt: deps.clock.now(),
  });
  if (!recorded) {
    // The output was discarded or deleted meanwhile.
    await deps.store.delete(key);
    return { outcome: "retryable", reason: "reservation lost" };
  }
  deps.metrics.copiedBytes.inc({ kind }, bytes);
  if (kind === "image") return { outcome: "stored", asset: recorded };
  // The copy is recorded, whatever comes of decoding a foreign file, and complete without a thumbnail.
  const thumbnailKey = await addThumbnail(deps, token, file).catch((err: unknown) => {
    deps.log.warn({ err, generation_id: generationId }, "no thumbnail stored");
    return null;
  });
  return { outcome: "stored", asset: { ...recorded, thumbnailKey } };
}

/** Null if none can be made of the video, or the output is to be deleted. */
async function addThumbnail(deps: CopyDeps, token: string, video: FileBytes) {
  const picture = await deps.decoder.thumbnail(video);
  const key = videoThumbnailKey(token);
  return picture && (await storeThumbnail(deps, token, key, picture)) ? key : null;
}
