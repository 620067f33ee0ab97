/** What delivery finds in a file's bytes, and would insert. */
import { inMemory, inspectMedia } from "../../services/delivery/media/inspect.ts";
import {
  markedBy,
  type Marked,
  type ProvenanceSetting,
} from "../../services/delivery/media/provenance.ts";

/** Throws a MediaError if the file is refused. What a video contains is not looked at. */
export async function marksOf(
  content: Uint8Array,
  setting: ProvenanceSetting = "embed",
): Promise<Marked> {
  const header = { width: 1, height: 1, durationSeconds: 1 };
  const { marks } = await inspectMedia(inMemory(content), async () => header);
  return markedBy(setting, marks);
}
