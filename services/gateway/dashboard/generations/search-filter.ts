/** The filters of the list of generations as fields of the RPCs. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { kindOf } from "#vocabulary/kind.ts";
import { filtersOf } from "../../edge/operations/list-generations.ts";

/** What the list, its totals and its CSV have in common. */
export type SearchQuery = Omit<operations["downloadGenerations"]["parameters"]["query"], "mode">;

const PAIR = /(?<=^|\s)([a-z_][\w.-]*)[=:](?!\/\/)(?=\S)/gi;

/** A name of the metadata and its value are two words: "order=A-104" and "order:A-104" are searched for as "order A-104". */
function pairsAsWords(search: string): string {
  return search.replaceAll(PAIR, "$1 ");
}

export function searchOf({ kind, search, key, end_user: endUser, ...filters }: SearchQuery) {
  return {
    ...filtersOf(filters),
    ...(kind === undefined ? {} : { kind: kindOf(kind) }),
    ...(search === undefined ? {} : { words: pairsAsWords(search) }),
    ...(endUser === undefined ? {} : { endUser }),
    ...(key === undefined ? {} : { keyId: key === "none" ? "" : key }),
  };
}
