/** What delivery finds in a file's bytes, and would insert. */
import { MediaError, sniffType, type MediaType } from "../../services/delivery/media/inspect.ts";
import type { FileBytes, Marks } from "../../services/delivery/media/formats/format.ts";
import { readJpeg } from "../../services/delivery/media/formats/jpeg.ts";
import { readPng } from "../../services/delivery/media/formats/png.ts";
import { readMp4, readWebm } from "../../services/delivery/media/formats/video.ts";
import { readWebp } from "../../services/delivery/media/formats/webp.ts";
import {
  markedBy,
  type Marked,
  type ProvenanceSetting,
} from "../../services/delivery/media/provenance.ts";

const READERS: Record<MediaType, (file: FileBytes) => Promise<Marks>> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/webp": readWebp,
  "video/mp4": readMp4,
  "video/webm": readWebm,
};

/** Throws a MediaError if the file is refused. */
export async function marksOf(
  content: Uint8Array,
  setting: ProvenanceSetting = "embed",
): Promise<Marked> {
  const type = sniffType(content);
  if (type === undefined) throw new MediaError("unknown_type", "of no stored type");
  const file = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const read = (at: number, length: number) => file.subarray(at, at + length);
  return markedBy(setting, await READERS[type]({ bytes: file.byteLength, read }));
}
