/** The mark of AI-generated content in a file, how a file without one gets it, and the changes that this takes. */
import type { Provenance } from "../domain/file.ts";
import type { Edit, FileBytes, Marks } from "./formats/format.ts";

/** `detect`: files are stored as they are. `embed`: those without a mark get one. */
export type ProvenanceSetting = "detect" | "embed";

export type Marked = { provenance: Provenance; edits: Edit[] };

/** The terms that say that AI or another program made the picture, or a part of it. */
const SYNTHETIC =
  /https?:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\/(trainedAlgorithmicMedia|compositeWithTrainedAlgorithmicMedia|compositeSynthetic|algorithmicMedia)(?![A-Za-z])/;
/** Content Credentials that are kept outside the file. Other values name some that were within it, and may be lost. */
const LINKED =
  /dcterms:provenance(\s{0,9}=\s{0,9}["']|[^<>]{0,200}>\s{0,99}|[^<>]{0,200}rdf:resource\s{0,9}=\s{0,9}["'])https?:\/\//;

const DESCRIPTION =
  '<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">' +
  "<Iptc4xmpExt:DigitalSourceType>http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia</Iptc4xmpExt:DigitalSourceType>" +
  "</rdf:Description>";
const END = "</rdf:RDF>";

/** The packet for a file that has none. It never varies, so that the same file gets the same bytes. */
export const MARK = Buffer.from(
  '<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${DESCRIPTION}${END}` +
    '</x:xmpmeta><?xpacket end="r"?>',
);

/**
 * A file that is built in an unusual way is left as it is. So is one with a mark, because more XMP would break the
 * signature of Content Credentials, and one that names another source, which is not ours to contradict.
 */
export function markedBy(setting: ProvenanceSetting, marks: Marks): Marked {
  const provenance = foundIn(marks);
  const packet = provenance === "none" && setting === "embed" ? packetFor(marks) : undefined;
  const edits = packet && marks.withXmp(packet);
  return edits ? { provenance: "iptc", edits } : { provenance, edits: [] };
}

function foundIn({ hasC2pa, packets }: Marks): Provenance {
  const sources = packets.map(({ content }) => content && sourceIn(content));
  if (hasC2pa || sources.includes("linked")) return "c2pa";
  return sources.includes("synthetic") ? "iptc" : "none";
}

function packetFor({ packets }: Marks): Buffer | undefined {
  if (packets.length === 0) return MARK;
  const isFree = packets.every(({ content }) => content && sourceIn(content) === "nothing");
  return isFree && packets[0]?.content ? withMark(packets[0].content) : undefined;
}

/** What a packet says of the picture's source. */
function sourceIn(xmp: Buffer): "synthetic" | "linked" | "other" | "nothing" {
  const text = withoutComments(xmp);
  const saysSource = text.includes("DigitalSourceType");
  if (saysSource && SYNTHETIC.test(text)) return "synthetic";
  if (LINKED.test(text)) return "linked";
  return saysSource ? "other" : "nothing";
}

/** The packet with the mark in addition; undefined where it is not written as is usual. */
function withMark(xmp: Buffer): Buffer | undefined {
  const end = withoutComments(xmp).lastIndexOf(END);
  if (end === -1) return undefined;
  return Buffer.concat([xmp.subarray(0, end), Buffer.from(DESCRIPTION), xmp.subarray(end)]);
}

/** A character a byte, with blanks where a comment or text that is no markup stands. */
function withoutComments(xmp: Buffer): string {
  return xmp
    .toString("latin1")
    .replaceAll(/<!--[^]*?(-->|$)|<!\[CDATA\[[^]*?(\]\]>|$)/g, (text) => " ".repeat(text.length));
}

const CHUNK_BYTES = 256 * 1024;

/** The file with the edits made. */
export async function* edited(
  { bytes, read }: FileBytes,
  edits: readonly Edit[],
): AsyncGenerator<Uint8Array> {
  const end = { at: bytes, remove: 0, insert: Buffer.alloc(0) };
  const inOrder = edits.toSorted((a, b) => a.at - b.at);
  let at = 0;
  for (const { at: until, remove, insert } of [...inOrder, end]) {
    for (; at < until; at += CHUNK_BYTES) yield read(at, Math.min(CHUNK_BYTES, until - at));
    yield insert;
    at = until + remove;
  }
}
