/** The IPTC digital source type "made by a trained model", as XMP, and how it is found. */

/** What is looked at of a file's XMP. A longer packet is left alone. */
export const MAX_XMP_BYTES = 256 * 1024;

const TERMS = "http://cv.iptc.org/newscodes/digitalsourcetype/";

/** The terms that say that AI or another program made the picture, or a part of it. */
const SYNTHETIC = [
  "trainedAlgorithmicMedia",
  "compositeWithTrainedAlgorithmicMedia",
  "compositeSynthetic",
  "algorithmicMedia",
].map((term) => new RegExp(`${TERMS}${term}(?![A-Za-z])`));

const DESCRIPTION =
  '<rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">' +
  `<Iptc4xmpExt:DigitalSourceType>${TERMS}trainedAlgorithmicMedia</Iptc4xmpExt:DigitalSourceType>` +
  "</rdf:Description>";

const END = "</rdf:RDF>";

/** The packet for a file that has none. It never varies, so that a repeated copy stores the same bytes. */
export const MARK = Buffer.from(
  '<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${DESCRIPTION}${END}` +
    '</x:xmpmeta><?xpacket end="r"?>',
);

/**
 * What a packet says: that the picture is synthetic; where its Content Credentials are kept, outside the file; something else
 * of its source, which is not ours to contradict; nothing.
 */
export function sourceIn(xmp: Buffer): "synthetic" | "linked" | "other" | "nothing" {
  const text = xmp.toString("latin1");
  const saysSource = text.includes("DigitalSourceType");
  if (saysSource && SYNTHETIC.some((term) => term.test(text))) return "synthetic";
  if (text.includes("dcterms:provenance")) return "linked";
  return saysSource ? "other" : "nothing";
}

/** The packet with the mark in addition; undefined where it is not written as is usual. */
export function withMark(xmp: Buffer): Buffer | undefined {
  const end = xmp.lastIndexOf(END);
  if (end === -1) return undefined;
  return Buffer.concat([xmp.subarray(0, end), Buffer.from(DESCRIPTION), xmp.subarray(end)]);
}
