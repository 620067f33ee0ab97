/** What the readers of the formats share: how they read a file, what they find in it, and how they refuse it. */

export type ImageType = "image/png" | "image/jpeg" | "image/webp";
export type MediaType = ImageType | "video/mp4" | "video/webm";

/**
 * - `unknown_type`: not one of the stored types
 * - `truncated`: the file is shorter than its structure says
 * - `damaged`: the structure is inconsistent or has no picture
 * - `unfinished`: reading it took too long or too much memory, which may be the machine's fault
 */
export type MediaFault = "unknown_type" | "truncated" | "damaged" | "unfinished";

export class MediaError extends Error {
  override name = "MediaError";
  readonly fault: MediaFault;
  constructor(fault: MediaFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** For `catch`: what is wrong with the file. Throws what is not the file's fault. */
export function faultOfFile(error: unknown): MediaError {
  if (error instanceof MediaError) return error;
  throw error;
}

export const truncated = () => new MediaError("truncated", "the file ends too early");
export const damaged = (what: string) => new MediaError("damaged", what);

/** A file, read in small pieces: fewer bytes than asked for at its end only, and no promise for those at hand. */
export type FileBytes = {
  bytes: number;
  read: (at: number, length: number) => Buffer | Promise<Buffer>;
};

export type Size = { width: number; height: number };

/** At `at`, `remove` bytes of the file are left out and `insert` comes in their place. */
export type Edit = { at: number; remove: number; insert: Buffer };

/** XMP and the piece of the file that has it; without content if it is too long, or packed in a way that is not read. */
export type Packet = { at: number; bytes: number; content: Buffer | undefined };

export type Marks = {
  hasC2pa: boolean;
  packets: Packet[];
  /** The edits that give the file this packet, instead of its first; undefined if the file is to be left as it is. */
  withXmp: (packet: Buffer) => Edit[] | undefined;
};

/** The size is as stored: in the orientations 5 to 8 width and height are exchanged when the image is shown. */
export type FoundImage = Marks & { size: Size; orientation: number };

/** Throws a MediaError unless the file is whole and a browser shows it. */
export type ReadImage = (file: FileBytes) => Promise<FoundImage>;

/** Throws a MediaError unless the outermost pieces are whole. What they contain is read in another process. */
export type ReadVideo = (file: FileBytes) => Promise<Marks>;

/** More pieces than any file has that is meant well. */
export const MAX_PIECES = 10_000;
/** What is looked at of a file's XMP, because each byte costs time. A longer packet is left alone. */
export const MAX_XMP_BYTES = 128 * 1024;
/** XMP, and once more as ImageMagick writes it. */
const MAX_PACKETS = 2;

/** The `length` bytes from `at`; throws if the file ends before. */
export async function whole(file: FileBytes, at: number, length: number): Promise<Buffer> {
  const found = await file.read(at, length);
  if (found.byteLength < length) throw truncated();
  return found;
}

/** Where a packet is written: in place of the first one, else at `otherwise`. */
export function placeOf([first]: readonly Packet[], otherwise: number) {
  return { at: first?.at ?? otherwise, remove: first?.bytes ?? 0 };
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Adds the piece from `at` to `packets`, with the packet that stands within it. */
export async function addPacket(
  packets: Packet[],
  file: FileBytes,
  piece: { at: number; bytes: number },
  [start, length]: readonly [start: number, length: number],
  unpack: (content: Buffer) => Buffer | undefined = (content) => Buffer.from(content),
): Promise<void> {
  const isRead = length >= 0 && length <= MAX_XMP_BYTES && packets.length < MAX_PACKETS;
  packets.push({
    ...piece,
    content: isRead ? unpack(await whole(file, start, length)) : undefined,
  });
}

const ORIENTATION_TAG = 0x0112;

/** How the picture is turned and mirrored when it is shown, 1 to 8, by a TIFF structure as Exif is. */
export function orientationIn(tiff: Buffer): number {
  const isLittle = tiff.toString("latin1", 0, 4) === "II*\0";
  if (!isLittle && tiff.toString("latin1", 0, 4) !== "MM\0*") return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const uint16 = (at: number) => (at + 2 > view.byteLength ? 0 : view.getUint16(at, isLittle));
  const start = view.byteLength < 8 ? 8 : view.getUint32(4, isLittle);
  const entries = uint16(start);
  for (let entry = 0; entry < entries; entry++) {
    const at = start + 2 + 12 * entry;
    if (at + 12 > tiff.byteLength) break;
    if (uint16(at) !== ORIENTATION_TAG) continue;
    const value = uint16(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
