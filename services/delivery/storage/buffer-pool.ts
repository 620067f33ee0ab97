/** A bounded pool of reusable buffers, which bounds the memory that uploads take. */

export type BufferPool = {
  readonly bufferBytes: number;
  /** Waits, first come first served, while all buffers are in use. */
  acquire(): Promise<Buffer>;
  /** The caller must no longer use the buffer. */
  release(buffer: Buffer): void;
};

/** Buffers are allocated when they are first needed. */
export function createBufferPool(maxBuffers: number, bufferBytes: number): BufferPool {
  const free: Buffer[] = [];
  const waiting: ((buffer: Buffer) => void)[] = [];
  let allocated = 0;
  return {
    bufferBytes,
    acquire() {
      const buffer = free.pop();
      if (buffer) return Promise.resolve(buffer);
      if (allocated === maxBuffers) return new Promise((resolve) => waiting.push(resolve));
      allocated += 1;
      return Promise.resolve(Buffer.allocUnsafeSlow(bufferBytes));
    },
    release(buffer) {
      const next = waiting.shift();
      if (next) next(buffer);
      else free.push(buffer);
    },
  };
}
