/** Presents a list: one page of it, or all of it. */

export function presentPage<T, More extends boolean>(data: T[], hasMore: More) {
  return { object: "list", data, has_more: hasMore } as const;
}

/** A list that always fits one page. */
export function presentWholeList<T>(data: T[]) {
  return presentPage(data, false);
}
