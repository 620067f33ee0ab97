/** The guards of marks of AI-generated content, and the tests that need them. */
import { guards, type Mutation } from "./mutation.ts";

const FOLDER = "services/delivery/media/provenance";
const TEST = "test/delivery/media/provenance.test.ts";
const COPY_TEST = "test/delivery/copy/provenance.test.ts";

export const provenance: readonly Mutation[] = [
  ...guards(`${FOLDER}/provenance.ts`, TEST, {
    "a file with Content Credentials is left as it is": ["if (hasC2pa)", "if (hasC2pa && false)"],
    "what XMP says of another source is not contradicted": '&& sourceIn(xmp) === "nothing"',
  }),
  ...guards(`${FOLDER}/mark.ts`, TEST, {
    "Content Credentials that are kept elsewhere are not broken":
      'if (text.includes("dcterms:provenance")) return "linked";',
  }),
  ...guards(`${FOLDER}/mp4.ts`, TEST, {
    "nothing is appended to a box that reaches to the end of the file":
      "|| head.readUInt32BE(0) === 0",
    "an index at the end of a video stays there": 'last === "mfra" ? lastAt :',
  }),
  ...guards(`${FOLDER}/webp.ts`, TEST, {
    "a WebP says that it has XMP": "| XMP_FLAG",
  }),
  ...guards(`${FOLDER}/jpeg.ts`, TEST, {
    "a segment is as long as it can say": "if (length > MAX_SEGMENT_BYTES) return undefined;",
  }),
  ...guards("services/delivery/copy/store-thumbnail.ts", COPY_TEST, {
    "a thumbnail carries the mark": [
      "return editedContent(content, edits);",
      "return edits.length > 0 ? content : content;",
    ],
  }),
];
