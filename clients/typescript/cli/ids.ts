/** What an id is of, by how it begins. */
import { UsageError } from "./cli-errors.ts";

const PREFIXES = { video: "vgen_", image: "igen_", file: "file_", delivery: "whd_" };

export type IdKind = keyof typeof PREFIXES;

/** What the id is of. Throws UsageError, which says how ids begin, for one of another kind; nothing was sent then. */
export function kindOfId<Kind extends IdKind>(id: string, kinds: readonly Kind[]): Kind {
  const kind = kinds.find((each) => id.startsWith(PREFIXES[each]));
  if (kind !== undefined) return kind;
  const starts = kinds.map((each) => `${PREFIXES[each]} (${each})`).join(", ");
  throw new UsageError(`There is no ${id} here: the id must begin with ${starts}.`);
}
