/** Walks the outermost boxes of MP4 and WebM files, to detect truncated files. */
import { MediaError } from "./media-error.ts";
import type { VideoType } from "./sniff.ts";

/** Reads up to `length` bytes from an offset; fewer at the end of the file. */
export type ReadAt = (at: number, length: number) => Promise<Buffer>;

type Box = { name: string; bytes: number };

const MAX_BOXES = 100_000;

/** Throws a MediaError unless each outermost box ends within the `fileBytes` of the file. */
export async function assertContainerWhole(
  type: VideoType,
  read: ReadAt,
  fileBytes: number,
): Promise<void> {
  const parse = type === "video/mp4" ? parseMp4Box : parseWebmElement;
  const names = new Set<string>();
  let at = 0;
  for (let count = 0; at < fileBytes; count++) {
    const box = parse(await read(at, 16), fileBytes - at);
    if (box === undefined || at + box.bytes > fileBytes) {
      throw new MediaError("truncated", `the file ends at byte ${fileBytes}, inside a box`);
    }
    if (count === MAX_BOXES) throw new MediaError("damaged", "too many boxes");
    names.add(box.name);
    at += box.bytes;
  }
  if (type === "video/mp4" && !names.has("moov")) {
    throw new MediaError("truncated", "the file has no moov box");
  }
}

/** Undefined if `head` is too short or not the head of a box. */
export function parseMp4Box(head: Buffer, rest: number): Box | undefined {
  if (head.byteLength < 8) return undefined;
  const name = head.toString("latin1", 4, 8);
  const short = head.readUInt32BE(0);
  if (short === 0) return { name, bytes: rest };
  if (short >= 8) return { name, bytes: short };
  if (short !== 1 || head.byteLength < 16) return undefined;
  const bytes = Number(head.readBigUInt64BE(8));
  return bytes >= 16 ? { name, bytes } : undefined;
}

/** An EBML element: an id and a length, each of variable width. */
function parseWebmElement(head: Buffer, rest: number): Box | undefined {
  const idBytes = Math.clz32(head[0] ?? 0) - 23;
  const lengthBytes = Math.clz32(head[idBytes] ?? 0) - 23;
  if (idBytes > 4 || lengthBytes > 8 || head.byteLength < idBytes + lengthBytes) return undefined;
  const name = head.toString("hex", 0, idBytes);
  const coded = BigInt(`0x${head.toString("hex", idBytes, idBytes + lengthBytes)}`);
  const unknown = (1n << BigInt(7 * lengthBytes)) - 1n;
  const length = coded & unknown;
  // An element of unknown length, as in streamed files, extends to the end of the file.
  const bytes = length === unknown ? rest : idBytes + lengthBytes + Number(length);
  return { name, bytes };
}
