/** Copies one result of an upstream to storage: fetch, inspect, mark, upload, record, thumbnail. */
import type { LimitFunction } from "p-limit";
import type { Source } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { KindName } from "#vocabulary/names.ts";
import { timed } from "#runtime/metrics/metrics.ts";
import type { Base } from "#runtime/service/service.ts";
import { inSpan } from "#runtime/tracing/tracer.ts";
import type { DeliveryMetrics } from "../metrics/metrics.ts";
import { imageThumbnailKey, videoThumbnailKey } from "../domain/file.ts";
import { fetchSource, type FetchDeps, type NotCopied } from "../download/fetch.ts";
import { faultOfFile, inMemory, inspectMedia, MediaError, openFile } from "../media/inspect.ts";
import type { FileBytes } from "../media/formats/format.ts";
import { edited, markedBy, type ProvenanceSetting } from "../media/provenance.ts";
import type { MediaDecoder } from "../media/decoder.ts";
import { temporaryFile } from "../storage/filesystem.ts";
import { extensionFor, type ObjectStore } from "../storage/object-store.ts";
import { recordAssetIfReserved, type AssetId, type StoredAsset } from "../store/assets.ts";
import { storeThumbnail } from "./thumbnail-maker.ts";

export type CopyDeps = Pick<Base, "sql" | "clock" | "log" | "tracer"> & {
  store: ObjectStore;
  decoder: Pick<MediaDecoder, "header" | "thumbnail">;
  fetch: FetchDeps;
  /** The folder for temporary files. */
  directory: string;
  /** Whether files without a mark of AI-generated content get one. */
  provenance: ProvenanceSetting;
  limit: LimitFunction;
  metrics: Pick<DeliveryMetrics, "copies" | "copiedBytes">;
};

export type Copy = {
  id: AssetId;
  /** Reserved for the output, so that a retry after a crash writes the same object and not a second one. */
  token: string;
  kind: KindName;
  source: Source;
};

export type CopyResult = { outcome: "stored"; asset: StoredAsset } | NotCopied;

export type CopyOutput = (copy: Copy) => Promise<CopyResult>;

/** The output was discarded meanwhile. */
const RESERVATION_LOST: CopyResult = { outcome: "retryable", reason: "reservation lost" };
const COPY_DEADLINE_MS = 5 * 60_000;
const MAX_BYTES = 1024 * 1024 * 1024;

/** A copy that runs is joined, not repeated. Rejects if our disk, storage or database fails. */
export function outputCopier(deps: CopyDeps): CopyOutput {
  const running = new Map<string, Promise<CopyResult>>();
  return (copy) => {
    const { accountId, ownerId, position } = copy.id;
    const name = `${accountId}/${ownerId}/${position}`;
    const joined = running.get(name) ?? timedCopy(deps, copy).finally(() => running.delete(name));
    running.set(name, joined);
    return joined;
  };
}

/** Its time includes the wait for one of the copies that may run at once. */
function timedCopy(deps: CopyDeps, copy: Copy): Promise<CopyResult> {
  const fields = { "media.kind": copy.kind, "media.generation_id": copy.id.ownerId };
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
  const { from } = copy.source;
  if (from.case === "content") return storeCopy(deps, copy, inMemory(from.value));
  const limits = { maxBytes: MAX_BYTES, deadlineMs: COPY_DEADLINE_MS };
  await using file = temporaryFile(deps.directory);
  const source = { ...copy.source, url: from.value ?? "" };
  const fetched = await fetchSource(deps.fetch, source, limits, file.write);
  if (fetched.outcome !== "ok") return fetched;
  await using bytes = await openFile(file.path);
  return await storeCopy(deps, copy, bytes, fetched.isWhole);
}

/** Inspects, marks, stores and records; an image's thumbnail can be made later. */
async function storeCopy(
  deps: CopyDeps,
  { id, token, kind }: Copy,
  file: FileBytes,
  isWhole = true,
): Promise<CopyResult> {
  const info = await inspectMedia(file, deps.decoder.header).catch(faultOfFile);
  if (info instanceof MediaError) {
    const canRetry = info.fault === "unfinished" || (info.fault === "truncated" && !isWhole);
    return { outcome: canRetry ? "retryable" : "refused", reason: info.fault };
  }
  const { contentType } = info;
  if (!contentType.startsWith(`${kind}/`)) {
    return { outcome: "refused", reason: `${contentType} instead of ${kind}` };
  }
  const key = `${token}.${extensionFor(contentType)}`;
  const { provenance, edits } = markedBy(deps.provenance, info.marks);
  const stored = await deps.store.put(key, edited(file, edits));
  const recorded = await recordAssetIfReserved(deps.sql, {
    durationSeconds: null,
    ...info,
    ...id,
    ...stored,
    provenance,
    key,
    thumbnailKey: kind === "image" ? imageThumbnailKey(token) : null,
    token,
    at: deps.clock.now(),
  });
  if (recorded === undefined) {
    await deps.store.delete(key);
    return RESERVATION_LOST;
  }
  deps.metrics.copiedBytes.inc({ kind }, stored.bytes);
  if (kind === "image") return { outcome: "stored", asset: recorded };
  const thumbnailKey = await addThumbnail(deps, { ...id, token }, file);
  return { outcome: "stored", asset: { ...recorded, thumbnailKey } };
}

/** Null without one: the copy is recorded, whatever comes of decoding a foreign file, and complete without a thumbnail. */
async function addThumbnail(
  deps: CopyDeps,
  asset: AssetId & { token: string },
  video: FileBytes,
): Promise<string | null> {
  try {
    const picture = await deps.decoder.thumbnail(video);
    if (picture === undefined) return null;
    const thumbnailKey = videoThumbnailKey(asset.token);
    return (await storeThumbnail(deps, asset, thumbnailKey, picture)) ? thumbnailKey : null;
  } catch (error) {
    deps.log.warn({ err: error, generation_id: asset.ownerId }, "no thumbnail stored");
    return null;
  }
}
