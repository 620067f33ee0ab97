/** Presents pages of lists, and what an answer must have. */

export function presentPage<T, More extends boolean>(data: T[], hasMore: More) {
  return { object: "list", data, has_more: hasMore } as const;
}

/** A list that always fits one page. */
export function presentWholeList<T>(data: T[]) {
  return presentPage(data, false);
}

/** A message field that every response of the RPC has; throws when it is missing. */
export function required<T>(field: T | undefined): T {
  if (field === undefined) throw new Error("the RPC's response lacks a required field");
  return field;
}
