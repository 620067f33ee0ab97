/** Finds the mark of AI-generated content in a file, and says how it gets one where it has none. */
import { open } from "node:fs/promises";
import type { ReadAt } from "../container-boxes.ts";
import type { Provenance } from "../../domain/provenance.ts";
import { readerOf } from "../picture.ts";
import type { MediaType } from "../sniff.ts";
import { windowedReader } from "../windowed-reader.ts";
import type { Edit } from "./edits.ts";
import { jpegMarks } from "./jpeg.ts";
import { MARK, sourceIn, withMark } from "./mark.ts";
import type { Marks, ReadMarks } from "./marks.ts";
import { mp4Marks } from "./mp4.ts";
import { pngMarks } from "./png.ts";
import { webpMarks } from "./webp.ts";

/** `detect`: files are stored as they are. `embed`: those without a mark get one. */
export type ProvenanceSetting = "detect" | "embed";

/** The mark of the file after the edits. */
export type Marked = { provenance: Provenance; edits: Edit[] };

/** WebM has no agreed place for either mark. */
const READERS: Partial<Record<MediaType, ReadMarks>> = {
  "image/png": pngMarks,
  "image/jpeg": jpegMarks,
  "image/webp": webpMarks,
  "video/mp4": mp4Marks,
};

const UNMARKED: Marked = { provenance: "none", edits: [] };

/**
 * A file that was found to be whole. Rejects only if our own disk fails. A file that is built in an unusual way is left as it
 * is. So is one with a mark: more XMP would break the signature of Content Credentials.
 */
export async function markedFile(
  setting: ProvenanceSetting,
  path: string,
  { contentType, bytes }: { contentType: MediaType; bytes: number },
): Promise<Marked> {
  await using file = await open(path, "r");
  return await markedBy(setting, contentType, windowedReader(file), bytes);
}

/** The same of a picture in memory. */
export function markedContent(
  setting: ProvenanceSetting,
  contentType: MediaType,
  content: Buffer,
): Promise<Marked> {
  return markedBy(setting, contentType, readerOf(content), content.byteLength);
}

async function markedBy(
  setting: ProvenanceSetting,
  contentType: MediaType,
  read: ReadAt,
  bytes: number,
): Promise<Marked> {
  const marks = await READERS[contentType]?.(read, bytes);
  if (marks === undefined) return UNMARKED;
  const found = foundIn(marks);
  if (found !== "none") return { provenance: found, edits: [] };
  const packet = setting === "embed" ? packetFor(marks) : undefined;
  const edits = packet && marks.withXmp(packet);
  return edits ? { provenance: "iptc", edits } : UNMARKED;
}

function foundIn({ hasC2pa, xmp }: Marks): Provenance {
  if (hasC2pa) return "c2pa";
  if (typeof xmp === "string") return "none";
  const source = sourceIn(xmp);
  if (source === "linked") return "c2pa";
  return source === "synthetic" ? "iptc" : "none";
}

function packetFor({ xmp }: Marks): Buffer | undefined {
  if (xmp === "none") return MARK;
  return xmp !== "unreadable" && sourceIn(xmp) === "nothing" ? withMark(xmp) : undefined;
}
