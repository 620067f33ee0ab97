/** Reads a file in windows: the headers of an image are many small pieces that lie close together. */
import type { FileHandle } from "node:fs/promises";
import type { ReadAt } from "./container-boxes.ts";

const WINDOW_BYTES = 4_096;

export function windowedReader(file: FileHandle): ReadAt {
  let start = 0;
  let window = Buffer.alloc(0);
  return async (at, length) => {
    if (at < start || at + length > start + window.byteLength) {
      const buffer = Buffer.alloc(Math.max(length, WINDOW_BYTES));
      const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, at);
      start = at;
      window = buffer.subarray(0, bytesRead);
    }
    return window.subarray(at - start, at - start + length);
  };
}
