/** A bounded set of buffers that are used again and again: what they take is known beforehand, and never garbage. */

export type BufferPool = {
  readonly bufferBytes: number;
  /** Waits, in order of arrival, where all are in use. */
  take(): Promise<Buffer>;
  /** The taker is done with it: nothing reads it any more. */
  giveBack(buffer: Buffer): void;
};

/** Buffers are made when they are first needed. */
export function createBufferPool(most: number, bufferBytes: number): BufferPool {
  const free: Buffer[] = [];
  const waiting: ((buffer: Buffer) => void)[] = [];
  let made = 0;
  return {
    bufferBytes,
    take() {
      const known = free.pop();
      if (known) return Promise.resolve(known);
      if (made === most) return new Promise((resolve) => waiting.push(resolve));
      made += 1;
      return Promise.resolve(Buffer.allocUnsafeSlow(bufferBytes));
    },
    giveBack(buffer) {
      const next = waiting.shift();
      if (next) next(buffer);
      else free.push(buffer);
    },
  };
}
