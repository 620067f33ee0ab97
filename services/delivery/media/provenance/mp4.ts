/** Marks in MP4: C2PA and XMP, each in an outermost box `uuid`. */
import { parseMp4Box } from "../container-boxes.ts";
import type { Edit } from "./edits.ts";
import { MAX_PIECES, readPacket, type Marks, type ReadMarks } from "./marks.ts";

const C2PA_ID = Buffer.from("d8fec3d61b0e483c92975828877ec481", "hex");
const XMP_ID = Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex");
const HEAD_BYTES = 8;
const ID_BYTES = 16;

export const mp4Marks: ReadMarks = async (read, bytes) => {
  let hasC2pa = false;
  let xmp: Marks["xmp"] = "none";
  let unused: Edit[] = [];
  let last = "";
  let lastAt = 0;
  let at = 0;
  for (let count = 0; at < bytes; count++) {
    const head = await read(at, HEAD_BYTES + ID_BYTES);
    const box = parseMp4Box(head, bytes - at);
    // A box without a length reaches to the end of the file: what is appended would be a part of it.
    if (count === MAX_PIECES || box === undefined || head.readUInt32BE(0) === 0) return undefined;
    if (at + box.bytes > bytes) return undefined;
    const id = head.subarray(HEAD_BYTES);
    const skipped = HEAD_BYTES + ID_BYTES;
    const hasId = box.name === "uuid" && head.readUInt32BE(0) >= skipped;
    if (hasId && id.equals(C2PA_ID)) hasC2pa = true;
    if (hasId && id.equals(XMP_ID) && xmp === "none") {
      xmp = await readPacket(read, at + skipped, box.bytes - skipped);
      // The box stays where it is, as room that is not used, so that what is behind it does not move.
      unused = [{ at: at + 4, remove: 4, insert: Buffer.from("free", "latin1") }];
    }
    last = box.name;
    lastAt = at;
    at += box.bytes;
  }
  // Readers look for `mfra` at the end of the file.
  const end = last === "mfra" ? lastAt : bytes;
  return {
    hasC2pa,
    xmp,
    withXmp: (packet) => [...unused, { at: end, remove: 0, insert: boxOf(packet) }],
  };
};

function boxOf(packet: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(HEAD_BYTES + ID_BYTES + packet.byteLength);
  head.write("uuid", 4, "latin1");
  return Buffer.concat([head, XMP_ID, packet]);
}
