/** Cuts a body into the parts of an upload, and hashes it. */
import { createHash } from "node:crypto";
import type { BufferPool } from "./buffer-pool.ts";
import { assertLength, type ObjectMeta } from "./object-store.ts";

export type Part = { body: Uint8Array; isLast: boolean };

export type Stored = { bytes: number; sha256: string };

/** Bodies up to this length have their own buffer and never wait. */
const MAX_UNPOOLED_BYTES = 256 * 1024;

/**
 * Cuts `body` into parts and returns its length and SHA-256. All parts share one buffer: a part is valid only until the
 * next is requested. If the body does not have the announced length, throws before the last part.
 */
export async function* cutParts(
  body: AsyncIterable<Uint8Array>,
  meta: ObjectMeta,
  buffers: BufferPool,
): AsyncGenerator<Part, Stored> {
  const isSmall = (meta.bytes ?? Infinity) <= MAX_UNPOOLED_BYTES;
  const buffer = isSmall ? Buffer.alloc(Math.max(1, meta.bytes ?? 0)) : await buffers.acquire();
  try {
    return yield* cutInto(buffer, body, meta);
  } finally {
    if (!isSmall) buffers.release(buffer);
  }
}

async function* cutInto(
  buffer: Buffer,
  body: AsyncIterable<Uint8Array>,
  meta: ObjectMeta,
): AsyncGenerator<Part, Stored> {
  const hash = createHash("sha256");
  let filled = 0;
  let bytes = 0;
  for await (let chunk of body) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    if (bytes > (meta.bytes ?? Infinity)) assertLength(meta, bytes);
    while (chunk.byteLength > 0) {
      // A full buffer is sent only when more data follows, so that the last part is known as such.
      if (filled === buffer.byteLength) {
        yield { body: buffer, isLast: false };
        filled = 0;
      }
      const taken = Math.min(chunk.byteLength, buffer.byteLength - filled);
      buffer.set(chunk.subarray(0, taken), filled);
      filled += taken;
      chunk = chunk.subarray(taken);
    }
  }
  assertLength(meta, bytes);
  yield { body: buffer.subarray(0, filled), isLast: true };
  return { bytes, sha256: hash.digest("hex") };
}
