/** What was probably meant by a path outside every API: base URLs lack the prefix of the API, or have another one. */
import type { Contract } from "./contract.ts";
import { otherApiHint } from "./other-apis.ts";

/** Longer paths are no slips. */
const MAX_CHARACTERS = 200;
/** Segments that a path may have too many at its beginning: `/api/v2/`. */
const MAX_WRONG = 3;

export type HintedContract = Pick<Contract, "prefix" | "routeAt">;

/** As sentences; `contracts` in the order in which they are tried. */
export function baseUrlHint(
  contracts: readonly HintedContract[],
  method: string,
  url: string,
): string | undefined {
  if (url.length > MAX_CHARACTERS) return undefined;
  const [path = ""] = url.split("?", 1);
  const segments = path.split("/").filter((segment) => segment !== "");
  const own = contracts.filter(({ prefix }) => prefix.split("/")[1] === segments[0]);
  const tried = new Set([...own, ...contracts]);
  for (const tail of tailsOf(segments)) {
    for (const { prefix, routeAt } of tried) {
      const route = routeAt(`${prefix}${tail}`);
      if (!route) continue;
      const shown = route.methods.includes(method) ? method : route.methods[0];
      return `The API is at ${prefix}: did you mean ${shown} ${route.path}? Correct the base URL of your client.`;
    }
  }
  return tailsOf(segments).map(otherApiHint).find(Boolean);
}

/** The path, without its first segment, and so on. */
function tailsOf(segments: readonly string[]): string[] {
  return segments.slice(0, MAX_WRONG + 1).map((_segment, at) => `/${segments.slice(at).join("/")}`);
}
