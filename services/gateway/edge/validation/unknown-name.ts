/** What to say of a field or query parameter that an operation does not have. */
import { didYouMean } from "#runtime/did-you-mean.ts";

/** Names of other APIs for a place in a list, where this one has `after`. */
const PAGE_NAMES: ReadonlySet<string> = new Set([
  "cursor",
  "offset",
  "page",
  "page_token",
  "starting_after",
]);

/** `shown` is `name` as the fault's parameter; `known` are the names that are allowed there. */
export function unknownName(
  noun: "field" | "query parameter",
  name: string,
  shown: string,
  known: readonly string[],
): string {
  const unknown = `Unknown ${noun}: ${shown}.`;
  if (known.length === 0) return `${unknown} Remove it: there is none here.`;
  if (PAGE_NAMES.has(name) && known.includes("after")) {
    return `${unknown} For the next page send after, the id of the last object of this one. ${listed(known)}`;
  }
  const suggestion = didYouMean(name, known);
  if (suggestion !== "") return `${unknown}${suggestion} Remove it or correct its name.`;
  return `${unknown} ${listed(known)}`;
}

function listed(known: readonly string[]): string {
  return `Remove it, or use one of ${known.join(", ")}.`;
}
