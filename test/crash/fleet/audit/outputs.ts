/** Every success has its file, whole; no file is there without a success. */
import { createHash } from "node:crypto";
import { request } from "undici";
import { systemClock } from "#runtime/clock.ts";
import { createS3Store } from "../../../../services/delivery/storage/s3.ts";
import type { Check, Evidence, Row } from "./evidence.ts";

const CONCURRENCY = 8;
const MAX_TRIES = 10;
const RETRY_MS = 1_000;

export const checkOutputs: Check = async (evidence) => {
  const successes = [...evidence.rows.values()].filter(({ status }) => status === "success");
  const hashes = new Map<string, Set<string>>([
    ["video", new Set()],
    ["image", new Set()],
  ]);
  const wrong: string[] = [];
  const waiting = successes.values();
  const fetchAll = async () => {
    for (const row of waiting) {
      const found = await fetchOutput(evidence, row);
      if ("hash" in found) hashes.get(row.kind)?.add(found.hash);
      else wrong.push(found.fault);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, fetchAll));
  // All videos have the same length and size, and all images; the upstream makes the same file for each.
  for (const [kind, { size }] of hashes) if (size > 1) wrong.push(`${size} different ${kind}s`);
  return [...wrong, ...(await filesWithoutSuccess(evidence))];
};

async function fetchOutput(
  { fleet }: Evidence,
  { id, output }: Row,
): Promise<{ hash: string } | { fault: string }> {
  const [file] = output;
  if (!file) return { fault: `${id} succeeded without a file` };
  const { statusCode, content } = await download(`${fleet.url}/assets/${file.key}`);
  if (statusCode !== 200) return { fault: `the file of ${id} is answered with ${statusCode}` };
  if (content.byteLength !== Number(file.bytes)) {
    return { fault: `the file of ${id} has ${content.byteLength} bytes, not ${file.bytes}` };
  }
  return { hash: createHash("sha256").update(withoutTimes(content)).digest("hex") };
}

/** The boxes of an MP4 that say when the file was made: each simulator renders its own. */
const TIMED_BOXES = ["mvhd", "tkhd", "mdhd"];

function withoutTimes(content: Buffer): Buffer {
  for (const name of TIMED_BOXES) {
    const at = content.indexOf(name);
    // After the name come version and flags, then the times when it was made and changed.
    if (at !== -1) content.fill(0, at + 8, at + 16);
  }
  return content;
}

/** Repeated while the service is unavailable, as by any client. */
async function download(url: string): Promise<{ statusCode: number; content: Buffer }> {
  for (let tries = 1; ; tries++) {
    const { statusCode, body } = await request(url);
    const content = Buffer.from(await body.arrayBuffer());
    if (statusCode < 500 || tries === MAX_TRIES) return { statusCode, content };
    await systemClock.sleep(RETRY_MS);
  }
}

type Asset = { owner_id: string; token: string; is_kept: boolean };

async function filesWithoutSuccess({ fleet, query, rows }: Evidence): Promise<string[]> {
  const assets = await query(
    (sql) => sql<Asset[]>`
      select owner_id, token, stored_at is not null and delete_at is null as is_kept
      from delivery.assets where deleted_at is null`,
  );
  const wrong: string[] = [];
  // A discarded file belongs to its generation until it is deleted: minutes later, if storage was full or a replica lost.
  const owners = new Map(assets.map(({ token, owner_id: id }) => [token, id]));
  for (const { owner_id: id, is_kept: isKept } of assets) {
    const { status } = rows.get(id) ?? {};
    if (isKept && status !== "success") wrong.push(`a file is kept for ${id}, which ${status}`);
  }
  using store = createS3Store(fleet.s3.config);
  for await (const { key } of store.list()) {
    const owner = owners.get(key.split(".", 1)[0] ?? "");
    if (owner === undefined) wrong.push(`object ${key} belongs to nothing`);
  }
  return wrong;
}
