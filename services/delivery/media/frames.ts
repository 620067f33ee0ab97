/** Messages over a pipe: each has its length before it, and a limit that the reader sets. */
import type { Readable, Writable } from "node:stream";

const LENGTH_BYTES = 4;

export function writeFrame(to: Writable, payload: Uint8Array): void {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(payload.byteLength);
  to.write(length);
  to.write(payload);
}

/** Ends with the stream. Throws at a longer payload than `maxBytes`, before it is read. */
export async function* readFrames(from: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let held = 0;
  const take = (bytes: number): Buffer => {
    const all = Buffer.concat(chunks);
    chunks = [all.subarray(bytes)];
    held -= bytes;
    return all.subarray(0, bytes);
  };
  let wanted: number | undefined;
  for await (const chunk of from as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    held += chunk.byteLength;
    for (;;) {
      if (wanted === undefined) {
        if (held < LENGTH_BYTES) break;
        wanted = take(LENGTH_BYTES).readUInt32BE();
        if (wanted > maxBytes) throw new Error(`a message of ${wanted} bytes`);
      }
      if (held < wanted) break;
      yield take(wanted);
      wanted = undefined;
    }
  }
}
