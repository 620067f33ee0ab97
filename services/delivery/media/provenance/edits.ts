/** Changes of a file at some places, with the rest as it is: nothing is held in memory but what is inserted. */
import { createReadStream } from "node:fs";

/** At `at`, `remove` bytes of the file are left out and `insert` comes in their place. */
export type Edit = { at: number; remove: number; insert: Buffer };

/** The length of the file with the edits made. */
export function editedBytes(bytes: number, edits: readonly Edit[]): number {
  return edits.reduce((sum, { remove, insert }) => sum + insert.byteLength - remove, bytes);
}

/** The file with the edits made, which are in the order of their places. */
export async function* editedFile(
  path: string,
  bytes: number,
  edits: readonly Edit[],
): AsyncGenerator<Uint8Array> {
  for (const piece of piecesOf(bytes, edits)) {
    if (Buffer.isBuffer(piece)) yield piece;
    else yield* createReadStream(path, { start: piece.start, end: piece.end - 1 });
  }
}

/** The same in memory. */
export function editedContent(content: Buffer, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return content;
  const pieces = piecesOf(content.byteLength, edits).map((piece) =>
    Buffer.isBuffer(piece) ? piece : content.subarray(piece.start, piece.end),
  );
  return Buffer.concat(pieces);
}

type Range = { start: number; end: number };

function piecesOf(bytes: number, edits: readonly Edit[]): (Range | Buffer)[] {
  let start = 0;
  const pieces = edits.flatMap(({ at, remove, insert }) => {
    const before = { start, end: at };
    start = at + remove;
    return [before, insert];
  });
  const isThere = (piece: Range | Buffer) => Buffer.isBuffer(piece) || piece.end > piece.start;
  return [...pieces, { start, end: bytes }].filter(isThere);
}
