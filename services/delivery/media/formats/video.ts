/** MP4 and WebM: the outermost boxes. MP4 has C2PA and XMP, each in a box `uuid`; WebM has no place for either. */
import {
  addPacket,
  damaged,
  MAX_PIECES,
  MediaError,
  truncated,
  uint32,
  whole,
  type Packet,
  type ReadVideo,
} from "./format.ts";

const C2PA_ID = Buffer.from("d8fec3d61b0e483c92975828877ec481", "hex");
const XMP_ID = Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex");
const ID_BYTES = 16;
const HEAD_BYTES = 8;
/** The boxes of the outermost level. Other bytes behind a whole video are no part of it, and players ignore them. */
const OUTERMOST =
  /^(ftyp|styp|moov|moof|mdat|mfra|meta|sidx|ssix|prft|emsg|pdin|uuid|free|skip|wide)$/;

type Box = { name: string; bytes: number; headBytes: number };

export const readMp4: ReadVideo = async (file) => {
  const packets: Packet[] = [];
  const names = new Set<string>();
  let hasC2pa = false;
  let last = { name: "", at: 0, isOpen: false };
  let at = 0;
  for (let count = 0; at < file.bytes; count++) {
    const head = await file.read(at, 32);
    const box = parseBox(head, file.bytes - at);
    const isWhole = names.has("moov") && (names.has("mdat") || names.has("moof"));
    if (isWhole && !(box && OUTERMOST.test(box.name))) break;
    if (box === undefined || at + box.bytes > file.bytes) throw truncated();
    if (count === MAX_PIECES) throw damaged("too many boxes");
    const skipped = box.headBytes + ID_BYTES;
    const id = box.name === "uuid" ? head.subarray(box.headBytes, skipped) : undefined;
    if (id?.equals(C2PA_ID)) hasC2pa = true;
    if (id?.equals(XMP_ID))
      await addPacket(packets, file, { at, bytes: box.bytes }, [at + skipped, box.bytes - skipped]);
    names.add(box.name);
    last = { name: box.name, at, isOpen: head.readUInt32BE(0) === 0 };
    at += box.bytes;
  }
  if (!names.has("moov")) throw new MediaError("truncated", "the file has no moov box");
  // Readers look for `mfra` at the end of the file.
  const end = last.name === "mfra" ? last.at : at;
  const [own] = packets;
  const withXmp = (packet: Buffer) => [
    // The box stays where it is, as room that is not used, so that what is behind it does not move.
    ...(own ? [{ at: own.at + 4, remove: 4, insert: Buffer.from("free", "latin1") }] : []),
    // Without a length it would reach to the end of the file, and what is appended would be a part of it.
    ...(last.isOpen ? [{ at: last.at, remove: 4, insert: uint32(at - last.at) }] : []),
    { at: end, remove: 0, insert: boxOf(packet) },
  ];
  return { hasC2pa, packets, withXmp };
};

/** Undefined if `head` is too short or not the head of a box. */
function parseBox(head: Buffer, rest: number): Box | undefined {
  if (head.byteLength < HEAD_BYTES) return undefined;
  const name = head.toString("latin1", 4, HEAD_BYTES);
  const short = head.readUInt32BE(0);
  if (short === 0) return { name, bytes: rest, headBytes: HEAD_BYTES };
  if (short >= HEAD_BYTES) return { name, bytes: short, headBytes: HEAD_BYTES };
  if (short !== 1 || head.byteLength < 16) return undefined;
  const bytes = Number(head.readBigUInt64BE(HEAD_BYTES));
  return bytes >= 16 ? { name, bytes, headBytes: 16 } : undefined;
}

function boxOf(packet: Buffer): Buffer {
  const length = uint32(HEAD_BYTES + ID_BYTES + packet.byteLength);
  return Buffer.concat([length, Buffer.from("uuid", "latin1"), XMP_ID, packet]);
}

const SEGMENT_ID = "18538067";

/** Elements up to the segment, which has the video: an id and a length each, of variable width. */
export const readWebm: ReadVideo = async (file) => {
  let at = 0;
  for (let count = 0; count < MAX_PIECES; count++) {
    const head = await whole(file, at, Math.min(12, file.bytes - at));
    const idBytes = Math.clz32(head[0] ?? 0) - 23;
    const lengthBytes = Math.clz32(head[idBytes] ?? 0) - 23;
    if (idBytes > 4 || lengthBytes > 8 || head.byteLength < idBytes + lengthBytes)
      throw truncated();
    const coded = BigInt(`0x${head.toString("hex", idBytes, idBytes + lengthBytes)}`);
    const unknown = (1n << BigInt(7 * lengthBytes)) - 1n;
    // A segment of unknown length, as in streamed files, extends to the end of the file.
    const isOpen = (coded & unknown) === unknown;
    at += idBytes + lengthBytes + (isOpen ? 0 : Number(coded & unknown));
    if (at > file.bytes) throw truncated();
    if (head.toString("hex", 0, idBytes) === SEGMENT_ID)
      return { hasC2pa: false, packets: [], withXmp: () => undefined };
  }
  throw damaged("too many elements");
};
